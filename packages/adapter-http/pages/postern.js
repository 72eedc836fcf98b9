// Pages work without this script. With it, times are in the reader's own zone, a password can be shown, and a sign-out goes on as soon as it can.

const formats = document.documentElement.dataset.formats
const styles = { day: { dateStyle: "long" }, minute: { dateStyle: "long", timeStyle: "short" } }
for (const time of document.querySelectorAll("time[data-precision]"))
  time.textContent = new Intl.DateTimeFormat(formats, styles[time.dataset.precision]).format(new Date(time.dateTime))

const password = document.getElementById("password")
const reveal = document.getElementById("password-reveal")
if (password !== null && reveal !== null) {
  const show = (shown) => {
    const { label, text } = shown
      ? { label: reveal.dataset.hideLabel, text: reveal.dataset.hide }
      : { label: reveal.dataset.showLabel, text: reveal.dataset.show }
    password.type = shown ? "text" : "password"
    reveal.textContent = text
    reveal.setAttribute("aria-label", label)
  }
  show(false)
  reveal.hidden = false
  reveal.addEventListener("click", () => {
    show(password.type === "password")
    password.focus()
  })
  // Browsers keep passwords, but not what was typed into a text field.
  password.form.addEventListener("submit", () => show(false))
}

// The applications in the frames of this page end their sessions as they are loaded; none of them holds the person up for long.
const onward = document.getElementById("signing-out-continue")
if (onward !== null) {
  const go = () => location.replace(onward.href)
  addEventListener("load", go)
  setTimeout(go, 4000)
}

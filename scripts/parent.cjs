// Loaded into a task that took the launcher's place (scripts/run.mjs). npm starts scripts through a shell, and a signal sent to npm alone may end that
// shell without reaching the task. Losing that parent means the same as the signal.
const parent = Number(process.env.POSTERN_STARTED_BY)
// Its threads load this file too, and what it starts has parents of its own.
delete process.env.POSTERN_STARTED_BY
if (parent > 0) {
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 250)
  watch.unref()
}

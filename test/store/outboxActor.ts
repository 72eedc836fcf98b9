/** Commits a row and a message in one commit, claims the message, and never ends its delivery: to be killed. */
import { openDatabase as openPostgres, postgresTokenStore } from "@postern/adapter-postgres"
import { openDatabase, sqliteTokenStore } from "@postern/adapter-sqlite"
import { addMessage, saveAccessToken } from "@postern/core/model"
import { sampleAccessToken, sampleLocator } from "@postern/core/testing"
import { startDelivering } from "@postern/stores"

const [place = "", step = ""] = process.argv.slice(2)
const tokens = place.startsWith("postgres:") ? postgresTokenStore(await openPostgres(place)) : sqliteTokenStore(openDatabase(place))
const at = Math.floor(Date.now() / 1000)
await tokens.commit([saveAccessToken(sampleAccessToken(1)), addMessage(sampleLocator(2), "letter", { to: "somebody" }, at)])
if (step === "committed") process.stdout.write("committed\n")
else {
  const hang = (): Promise<void> => {
    process.stdout.write("delivering\n")
    return new Promise(() => undefined)
  }
  startDelivering({ tokens }, { handlers: { letter: hang } })
}
setInterval(() => undefined, 60_000)

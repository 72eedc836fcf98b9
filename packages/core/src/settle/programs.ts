import type { Decision, JsonObject, Refusal } from "../model/index.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../rules/form.ts"
import { table } from "../rules/rule.ts"
import { isForm, readParams } from "../wire/index.ts"
import type { Asked } from "./endpoint.ts"
import { row } from "./stage.ts"

/** Refuses a program (RFC 6749 §5.2). */
export const refuseJson = (refusal: Refusal): Decision => ({ _tag: "RefuseJson", refusal })

/** Begins the row of an endpoint to which programs send forms. */
export const form = (endpoint: string, repeatable?: ReadonlyArray<string>) =>
  row<Asked>(refuseJson)
    .read(({ message }) => ({ params: readParams(message.body), isForm: isForm(message.headers["content-type"]), repeatable }))
    .judge(table<FormRequest>(`${endpoint}/form`).include(formEncoded(endpoint)).include(parametersOnce(endpoint)))

/** Answers a program with JSON that nobody may cache. */
export const replyJson = (body: JsonObject): Decision => ({ _tag: "Reply", body, cacheable: false, commands: [] })

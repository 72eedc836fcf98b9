import type { Decision, JsonObject, Refusal } from "../model/index.ts"
import { type FormRequest, formEncoded, parametersOnce } from "../rules/form.ts"
import { table } from "../rules/rule.ts"
import { isForm, readParams } from "../wire/index.ts"
import type { Asked } from "./endpoint.ts"
import { row } from "./stage.ts"

/** Refuses with a JSON error (RFC 6749 §5.2). */
export const refuseJson = (refusal: Refusal): Decision => ({ _tag: "RefuseJson", refusal })

/** Begins the row of an endpoint that accepts forms from programs. */
export const form = (endpoint: string, repeatable?: ReadonlyArray<string>) =>
  row<Asked>(refuseJson)
    .read(({ message }) => ({ params: readParams(message.body), isForm: isForm(message.headers["content-type"]), repeatable }))
    .judge(table<FormRequest>(`${endpoint}/form`).include(formEncoded(endpoint)).include(parametersOnce(endpoint)))

/** Answers with JSON that must not be cached. */
export const replyJson = (body: JsonObject): Decision => ({ _tag: "Reply", body, cacheable: false, commands: [] })

import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "./lazily.ts"
import { config, data, json, username } from "./options.ts"

const actions = () => import("../actions/users.ts")

const subject = Flag.String("subject").pipe(
  Flag.withMetavar("SUB"),
  Flag.withDescription("The sub claim; made up when not given"),
  Flag.withDefault(undefined),
)
const claims = Flag.String("claim").pipe(
  Flag.withMetavar("NAME=VALUE"),
  Flag.withDescription("A claim; may be given again"),
  Flag.atLeast(0),
)

const tenant = Flag.String("tenant").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The only tenant the person signs in to; any when not given"),
  Flag.withDefault(undefined),
)

const add = Command.make(
  "add",
  { username, subject, claims, tenant, config, data, json },
  lazily(async () => (await actions()).addUser),
).pipe(
  Command.withDescription("Add a person; asks for the password, or reads it from standard input"),
  Command.withExamples([
    { command: "postern user add alice --claim name='Alice Adams' --claim email=alice@example.com", description: "Ask for the password" },
    { command: "pass show alice | postern user add alice", description: "Read the password from a program" },
  ]),
)

const list = Command.make(
  "list",
  { config, data, json },
  lazily(async () => (await actions()).listUsers),
).pipe(Command.withDescription("List everybody"))

const show = Command.make(
  "show",
  { username, config, data, json },
  lazily(async () => (await actions()).showUser),
).pipe(Command.withDescription("Show somebody, without their password"))

const disable = Command.make(
  "disable",
  { username, config, data },
  lazily(async () => (await actions()).disableUser),
).pipe(Command.withDescription("Let somebody sign in no more; their sessions end and their tokens stop working"))

const enable = Command.make(
  "enable",
  { username, config, data },
  lazily(async () => (await actions()).enableUser),
).pipe(Command.withDescription("Let somebody sign in again"))

const passwd = Command.make(
  "passwd",
  { username, config, data },
  lazily(async () => (await actions()).changePassword),
).pipe(
  Command.withDescription(
    "Give somebody a new password, from a prompt or standard input; their sessions end and their tokens stop working",
  ),
)

/** `postern user …`. */
export const user = Command.make("user").pipe(
  Command.withDescription("People: add, list, show, disable, enable, passwd"),
  Command.withSubcommands([add, list, show, disable, enable, passwd]),
)

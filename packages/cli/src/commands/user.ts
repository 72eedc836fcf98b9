import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import { lazily } from "../action.ts"
import { config, data, json, username } from "./options.ts"

const actions = () => import("../actions/users.ts")

const subject = Flag.String("subject").pipe(
  Flag.withMetavar("SUB"),
  Flag.withDescription("The sub claim (default: generated)"),
  Flag.withDefault(undefined),
)
const claims = Flag.String("claim").pipe(Flag.withMetavar("NAME=VALUE"), Flag.withDescription("A claim; repeatable"), Flag.atLeast(0))

const tenant = Flag.String("tenant").pipe(
  Flag.withMetavar("NAME"),
  Flag.withDescription("The only tenant to which the user may sign in (default: any)"),
  Flag.withDefault(undefined),
)

const add = Command.make(
  "add",
  { username, subject, claims, tenant, config, data, json },
  lazily(async () => (await actions()).addUser),
).pipe(
  Command.withDescription("Add a user; prompts for the password, or reads it from stdin"),
  Command.withExamples([
    {
      command: "postern user add alice --claim name='Alice Adams' --claim email=alice@example.com",
      description: "Prompt for the password",
    },
    { command: "pass show alice | postern user add alice", description: "Read the password from a program" },
  ]),
)

const list = Command.make(
  "list",
  { config, data, json },
  lazily(async () => (await actions()).listUsers),
).pipe(Command.withDescription("List all users"))

const show = Command.make(
  "show",
  { username, config, data, json },
  lazily(async () => (await actions()).showUser),
).pipe(Command.withDescription("Show a user, without their password"))

const disable = Command.make(
  "disable",
  { username, config, data },
  lazily(async () => (await actions()).disableUser),
).pipe(Command.withDescription("Disable a user; ends their sessions and revokes their tokens"))

const enable = Command.make(
  "enable",
  { username, config, data },
  lazily(async () => (await actions()).enableUser),
).pipe(Command.withDescription("Enable a user"))

const passwd = Command.make(
  "passwd",
  { username, config, data },
  lazily(async () => (await actions()).changePassword),
).pipe(Command.withDescription("Set a user's password, from a prompt or stdin; ends their sessions and revokes their tokens"))

/** `postern user …`. */
export const user = Command.make("user").pipe(
  Command.withDescription("Users: add, list, show, disable, enable, passwd"),
  Command.withSubcommands([add, list, show, disable, enable, passwd]),
)

export { type Difference, type RefusedBy, differenceOf } from "./compare.ts"
export { type DecidedBy, decide, recordedSalt } from "./decide.ts"
export { type Beginning, type Call, type Decided, type Ending, type Entry, Line, recordingVersion } from "./entry.ts"
export { RequestUndecided, SettingsRefused } from "./errors.ts"
export {
  type Recording,
  type RecordingFile,
  type RecordingLimits,
  RecordingTooSmall,
  RecordingUnreadable,
  beginRecording,
  defaultRecordingLimits,
  mostRecordingBytes,
  readRecording,
  readRecordingText,
} from "./file.ts"
export { type Recorder, featureNames, recorder, settingsOf } from "./recorder.ts"
export { recordingJsonSchema } from "./schema.ts"
export { type Replayed, decideAgain, replay } from "./replay.ts"

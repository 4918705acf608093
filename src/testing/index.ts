/**
 * Fakes for people who test agents: a model without a wire, a strict model server on loopback, cassettes, and checks of
 * what a tool or a model must keep. Nothing here opens a socket beyond 127.0.0.1.
 */
export { recordCassette, replayCassette } from './cassette.ts';
export { checkModel, checkTool, type ToolCase } from './conformance.ts';
export type { Chunking } from './deliver.ts';
export { benchScenarios, scenarios, tetris, tetrisTask } from './scenarios/index.ts';
export { type Job, nextReply } from './scenarios/job.ts';
export { type ModelScript, type ModelTurn, type ScriptedModel, scriptedModel } from './scripted.ts';
export { type Recorded, renderReply, type ScriptedServer, type ServerOptions, startServer } from './server.ts';
export type {
  Answer,
  Asked,
  AskedCall,
  DialectName,
  FailTurn,
  RawTurn,
  Reply,
  Said,
  Scenario,
  ScriptedCall,
  Served,
  StatusTurn,
  Thought,
  Turn,
} from './turn.ts';
export {
  strictAnthropic,
  strictChat,
  strictDeepseek,
  strictGemini,
  strictMistral,
  strictOpenai,
  strictResponses,
  type Validator,
  validatorOf,
} from './validators/index.ts';

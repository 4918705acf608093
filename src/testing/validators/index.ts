import type { Json } from '../../core/types.ts';
import type { DialectName, Served } from '../turn.ts';
import { strictAnthropic } from './anthropic.ts';
import { strictChat, strictOpenai } from './openai-chat.ts';
import { strictResponses } from './openai-responses.ts';
import { strictDeepseek, strictGemini, strictMistral } from './vendors.ts';

/** Takes a request's parsed body and what the server sent before; returns one line for each thing it refuses. */
export type Validator = (body: Json, served?: readonly Served[]) => readonly string[];

const vendors: Readonly<Record<string, Validator>> = {
  openai: strictOpenai,
  gemini: strictGemini,
  mistral: strictMistral,
  deepseek: strictDeepseek,
};

/** The strictest validator that fits. A chat vendor without one of its own gets the rules that all share. */
export const validatorOf = (dialect: DialectName, vendor: string): Validator => {
  if (dialect === 'anthropic') return strictAnthropic;
  return dialect === 'openai-responses' ? strictResponses : (vendors[vendor] ?? strictChat);
};

export { strictAnthropic, strictChat, strictDeepseek, strictGemini, strictMistral, strictOpenai, strictResponses };

import type { Json } from '../../core/types.ts';
import type { Made } from '../made.ts';
import type { Asked, DialectName } from '../turn.ts';

/** A wire dialect from the server's side: pure functions from requests and to responses. */
export type Dialect = {
  readonly name: DialectName;
  readonly read: (body: Json) => Pick<Asked, 'system' | 'tools' | 'messages'>;
  /** The response of a request that doesn't stream. */
  readonly whole: (made: Made) => Json;
  /** The server-sent events of one that does, each with its closing blank line. */
  readonly events: (made: Made) => readonly string[];
  /** The thinking blocks or reasoning items that must come back as they are. */
  readonly thoughts: (made: Made) => readonly Json[];
  /** The body of an error response. */
  readonly problem: (status: number, message: string, vendor: string) => Json;
  /** An overload that is reported inside a stream. */
  readonly broken: (message: string) => string;
};

/**
 * May it happen? The rules in the order in which they are asked about each part of a call; the first answer counts.
 * The strictest answer of all parts is the answer for the call: deny, then ask, then allow.
 */
import { acceptEdits } from './order/accept-edits.ts';
import { allowed } from './order/allowed.ts';
import { asked } from './order/asked.ts';
import { auto } from './order/auto.ts';
import { byDefault } from './order/by-default.ts';
import { bypass } from './order/bypass.ts';
import { denied, doubted } from './order/denied.ts';
import { destructive } from './order/destructive.ts';
import { gitFolder } from './order/git-folder.ts';
import { plan } from './order/plan.ts';
import { protectedPaths } from './order/protected.ts';
import { readOnly } from './order/read-only.ts';
import { secrets } from './order/secrets.ts';
import { task } from './order/task.ts';
import type { OrderRule } from './types.ts';

export const ORDER: readonly OrderRule[] = [
  gitFolder, //      when a file tool would write below .git: never
  denied, //         when a deny rule applies: in every mode
  bypass, //         when the mode is bypass: everything else is allowed
  plan, //           when the mode is plan and it would write, or might
  doubted, //        when a deny rule may apply
  protectedPaths, // when it writes what other programs obey later
  secrets, //        when it reads files of keys and passwords
  destructive, //    when it would lose what can't be brought back
  asked, //          when an ask rule applies, or may apply
  allowed, //        when an allow rule or a grant names it
  task, //           when the tool changes nothing by itself
  readOnly, //       when it only looks, and only at the workspace
  acceptEdits, //    when files of the workspace may be written
  auto, //           when the mode is auto and the sandbox holds
  byDefault, //      otherwise: ask
];

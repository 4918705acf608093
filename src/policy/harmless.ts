import { judgeAssignment } from './programs/index.ts';
import type { Part } from './types.ts';

export const isHarmlessCommand = (part: Part & { readonly kind: 'command' }): boolean => part.harmless === null;
export const isHarmlessAssignment = ({ assignment }: Part & { readonly kind: 'assignment' }): boolean =>
  judgeAssignment(assignment) === null;

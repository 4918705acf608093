import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node';

/**
 * Closes a run with `N passed, N failed` alone on a line, and names what was skipped. With CI=true a skip is a failure:
 * the machine was to have everything the tests need.
 */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const tests = modules.flatMap((each) => [...each.children.allTests()]);
    const skipped = tests.filter((each) => each.result().state === 'skipped' || each.result().state === 'pending');
    const passed = tests.filter((each) => each.result().state === 'passed');
    const broken = modules.flatMap((each) => each.errors()).length + errors.length;
    const failed = tests.filter((each) => each.result().state === 'failed').length + broken;
    for (const each of skipped) console.log(`skipped: ${placeOf(each)}`);
    if (skipped.length > 0 && process.env['CI'] === 'true') {
      console.log(`${skipped.length} skipped, and with CI=true nothing may be: install what they need (see .ci/run)`);
      process.exitCode = 1;
    }
    console.log(`${passed.length} passed, ${failed} failed`);
  }
}

const placeOf = (test: TestCase): string => `${test.module.relativeModuleId} > ${test.fullName}`;

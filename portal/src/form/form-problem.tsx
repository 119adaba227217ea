import { Problem } from '../data/http.ts';
import { count } from '../data/words.ts';
import { Notice, ProblemNotice } from '../ui/notice.tsx';
import type { useFaults } from './faults.ts';

/** Above a form: a refusal, or what is wrong with members that no field shows. The rest stands at the fields. */
export function FormProblem({ problem, found }: { problem: unknown; found: ReturnType<typeof useFaults> }) {
  if (!(problem instanceof Problem) || problem.code !== 'validation_failed')
    return <ProblemNotice error={problem} />;
  const { rest, count: left } = found;
  if (rest.length > 0)
    return <ProblemNotice error={new Problem(problem.status, { ...problem.body, errors: rest })} />;
  if (left === 0) return null;
  return (
    <Notice tone="bad">This is not valid yet: {count(left, 'field is', 'fields are')} marked below.</Notice>
  );
}

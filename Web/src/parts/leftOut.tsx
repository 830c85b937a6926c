import type { TransferProblem } from "../contract/types";
import { leftOutText } from "../text/errors";
import { visible } from "../text/safe";
import { t } from "../text/t";

/** The files of a folder that were left out, each with the reason. */
export const LeftOut = ({ problems }: { problems: readonly TransferProblem[] }) => (
  <ul className="problems" aria-label={t("transfers.problems.title")}>
    {problems.map((problem, index) => (
      <li key={index}>
        <bdi className="wrap">{problem.path === null ? t("transfers.problems.unnamed") : visible(problem.path)}</bdi>
        <span className="small quiet">{leftOutText(problem.cause, problem.reason, problem.detail)}</span>
      </li>
    ))}
  </ul>
);

// Package command holds code shared by commands: an App with the global flags, an engine run with them
// (WithObjects, WithRows, WithChange), an Answer printed in the requested form, and the names of policies,
// zones and files given as arguments. It also runs Rung as a process: signals, closed streams, the memory
// limit, and the log of libraries while a screen is shown.
//
// A command that shows something is a Query. It answers for one revision, or with --watch for every revision
// with another answer (App.QueryCommand). The omissions of an answer are printed with it and decide the exit
// code (Answer.NotConsidered, ExitCode). It is an error if the input holds nothing for a command (commandNeeds).
//
// The JSON of an answer is a type of the page that shows it (pages/...), or a type named ...Out in the file of
// the command if no page shows it.
//
// A Report is the result of a command in the forms that pipelines read: SARIF 2.1.0, GitHub's annotations,
// GitLab's code quality report, and JUnit.
//
// A command makes one Report for all forms: a Result for each thing it found or checked, and a Rule for each
// code of a Result. It returns the Report as Answer.Report and declares the forms with
// FormAnnotations(Forms...). The package fills in the version, the folders and the omissions, and prints the
// text that Write returns:
//
//	answer.Report = func() *Report {
//		return &Report{
//			Command: "diff",
//			Rules:   []Rule{{Code: "opens", Says: "The change opens connections.", Help: "…"}},
//			Results: []Result{{
//				Code: "opens", Level: Error, Message: "shop/web → bank/db tcp 5432",
//				Object: "ANP wall", File: "policies/wall.yaml", Line: 3, Key: "shop/web bank/db tcp 5432",
//			}},
//		}
//	}
//
// A Result without an Outcome is a finding. In JUnit an Error is a failure; other levels pass and appear as
// output. Code, Object (or else File) and Key make its fingerprint, by which GitHub and GitLab recognise it
// after the file changed, so a Key holds no line number and no count.
//
// AddFindings turns findings into results. JSON can also be printed by a template, as kubectl's -o jsonpath
// and -o custom-columns. A wrong template is a one-line error before anything is printed.
package command

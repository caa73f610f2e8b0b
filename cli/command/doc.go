// Package command holds the code that commands share: an App with the flags of the command
// line, an engine run with these flags (WithObjects, WithRows, WithChange), an Answer printed in
// the form asked for, and names of policies, zones and files given as arguments. It also runs
// Rung as a process: signals, closed streams, the memory limit, and the log that libraries write
// to while there is a screen.
//
// A command that shows something is a Query. It answers for one revision, or with --watch for
// every revision with another answer (App.QueryCommand). The omissions of an answer are printed
// beside it and decide the exit code (Answer.NotConsidered, ExitCode). Input that holds nothing
// for a command is an error (needsOf).
//
// The JSON of a thing is a type of the page that shows it (pages/...), or a type named ...Out
// beside the command if no page shows it.
//
// A Report is what a command found in the forms that pipelines read: SARIF 2.1.0,
// GitHub's annotations, GitLab's code quality report, and JUnit.
//
// A command makes one Report, whatever the form: a Result for each thing it found or checked, and
// a Rule for each code that a Result may have. It hands the Report over as Answer.Report and takes
// the forms with FormAnnotations(Forms...). The package fills in the version, the folders and the
// omissions, and prints the text that Write returns:
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
// A Result without an Outcome is something found. Its Level says how bad that is: an Error is
// a failure in JUnit, the others pass there and are told as output. Code, Object (or else File)
// and Key make its fingerprint, by which GitHub and GitLab know it again after the file
// changed: so no line number and no count belongs into the Key.
//
// Findings become results by AddFindings. JSON is also printed by a template, as kubectl's
// -o jsonpath and -o custom-columns. A wrong template is an error of one line, before anything is
// printed.
package command

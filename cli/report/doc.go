// Package report writes what a command found in the forms that pipelines read: SARIF 2.1.0,
// GitHub's annotations, GitLab's code quality report, and JUnit.
//
// A command makes one Report, whatever the form: a Result for each thing it found or
// checked, and a Rule for each code that a Result may have. It hands the Report over as
// Answer.Report of cli/command and takes the forms with command.FormAnnotations(report.Forms...).
// Then cli/command fills in the version, the folders and what was not considered, and
// prints the text that Write returns:
//
//	answer.Report = func() *report.Report {
//		return &report.Report{
//			Command: "diff",
//			Rules:   []report.Rule{{Code: "opens", Says: "The change opens connections.", Help: "…"}},
//			Results: []report.Result{{
//				Code: "opens", Level: report.Error, Message: "shop/web → bank/db tcp 5432",
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
// Findings become results by AddFindings.
//
// It also prints JSON by a template, as kubectl's -o jsonpath and -o custom-columns, with
// client-go's jsonpath. A wrong template is an error of one line, before anything is printed.
//
// The package is pure: it reads nothing and knows no clock. cli/command and the commands may
// import it.
package report

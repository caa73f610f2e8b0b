package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/model/words"
)

// takes checks the number of arguments. Their names are said in the error; the
// last optional ones may be left out.
func takes(optional int, names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) >= len(names)-optional && len(args) <= len(names):
			return nil
		case len(names) == 0 && !cmd.HasParent():
			return unknownCommand(cmd, args[0])
		case len(names) == 0:
			return fmt.Errorf("%s takes no arguments, got %q; see: %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())
		}
		return fmt.Errorf("%s needs %s, got %s; see: %s --help", cmd.CommandPath(), strings.Join(names, " "),
			words.Count(len(args), "argument"), cmd.CommandPath())
	}
}

func unknownCommand(root *cobra.Command, name string) error {
	if like := root.SuggestionsFor(name); len(like) > 0 {
		return fmt.Errorf("unknown command %q; did you mean: rung %s", name, like[0])
	}
	return fmt.Errorf("unknown command %q; see: rung --help", name)
}

// badFlag says what is wrong with a flag, in no words of Go, and where flags are explained.
func badFlag(cmd *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		want := ""
		switch bad.GetFlag().Value.Type() {
		case "bool":
			want = "want true or false"
		case "int", "int32", "int64", "uint", "uint16", "uint64":
			want = "want a number"
		case "duration":
			want = "want a time such as 30s or 5m"
		}
		if want != "" {
			err = fmt.Errorf("--%s %s: %s", bad.GetFlag().Name, bad.GetValue(), want)
		}
	}
	return fmt.Errorf("%w; see: %s --help", err, cmd.CommandPath())
}

// nbctlForm marks the commands that print records with -o nbctl.
const nbctlForm = "nbctl"

// markdownForm marks the commands that print markdown, for a review.
const markdownForm = "markdown"

// junitForm marks the commands that print JUnit's XML, for a CI.
const junitForm = "junit"

// csvForm marks the commands that print comma-separated values, for a spreadsheet.
const csvForm = "csv"

// tableForms mark the commands that print a page's table.
var tableForms = map[string]string{markdownForm: "", csvForm: ""}

// withRecords says that a command prints records with -o nbctl.
func withRecords(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{nbctlForm: ""}
	return cmd
}

// outputForms are what -o takes.
func outputForms(cmd *cobra.Command) []string {
	forms := []string{"table", "wide", "json", "yaml"}
	if _, ok := cmd.Annotations[nbctlForm]; ok {
		forms = append(forms, nbctlForm)
	}
	if _, ok := cmd.Annotations[markdownForm]; ok {
		forms = append(forms, markdownForm)
	}
	if _, ok := cmd.Annotations[junitForm]; ok {
		forms = append(forms, junitForm)
	}
	if _, ok := cmd.Annotations[csvForm]; ok {
		forms = append(forms, csvForm)
	}
	if _, ok := cmd.Annotations[antctlForm]; ok {
		forms = append(forms, antctlForm)
	}
	return forms
}

// checkOutput refuses an output form the command does not have, and notes what the
// command needs.
func (a *app) checkOutput(cmd *cobra.Command, _ []string) error {
	a.needs = needsOf[cmd.Name()]
	forms := outputForms(cmd)
	for _, f := range forms {
		if a.flags.output == f {
			return nil
		}
	}
	if a.flags.output == nbctlForm {
		return fmt.Errorf("output %q is only for rung compile and rung rows; want %s", nbctlForm, strings.Join(forms, ", "))
	}
	return fmt.Errorf("output %q: want %s", a.flags.output, strings.Join(forms, ", "))
}

// antctlForm is the output of rung ladder that has the columns of antctl.
const antctlForm = "antctl"

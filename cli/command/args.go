package command

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"rung/model/words"
)

// TakesArgs checks the number of arguments. Their names are said in the error; the
// last optional ones may be left out.
func TakesArgs(optional int, names ...string) cobra.PositionalArgs {
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

// BadFlag says what is wrong with a flag, in no words of Go, and where flags are explained.
func BadFlag(cmd *cobra.Command, err error) error {
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

// NbctlForm marks the commands that print records with -o nbctl.
const NbctlForm = "nbctl"

// MarkdownForm marks the commands that print markdown, for a review.
const MarkdownForm = "markdown"

// JUnitForm marks the commands that print JUnit's XML, for a CI.
const JUnitForm = "junit"

// CSVForm marks the commands that print comma-separated values, for a spreadsheet.
const CSVForm = "csv"

// TableForms mark the commands that print a page's table.
var TableForms = map[string]string{MarkdownForm: "", CSVForm: ""}

// WithRecords says that a command prints records with -o nbctl.
func WithRecords(cmd *cobra.Command) *cobra.Command {
	cmd.Annotations = map[string]string{NbctlForm: ""}
	return cmd
}

// OutputForms are what -o takes.
func OutputForms(cmd *cobra.Command) []string {
	forms := []string{"table", "wide", "json", "yaml"}
	if _, ok := cmd.Annotations[NbctlForm]; ok {
		forms = append(forms, NbctlForm)
	}
	if _, ok := cmd.Annotations[MarkdownForm]; ok {
		forms = append(forms, MarkdownForm)
	}
	if _, ok := cmd.Annotations[JUnitForm]; ok {
		forms = append(forms, JUnitForm)
	}
	if _, ok := cmd.Annotations[CSVForm]; ok {
		forms = append(forms, CSVForm)
	}
	if _, ok := cmd.Annotations[AntctlForm]; ok {
		forms = append(forms, AntctlForm)
	}
	return forms
}

// CheckOutput refuses an output form the command does not have, and notes what the
// command needs.
func (a *App) CheckOutput(cmd *cobra.Command, _ []string) error {
	a.Needs = needsOf[cmd.Name()]
	forms := OutputForms(cmd)
	for _, f := range forms {
		if a.Flags.Output == f {
			return nil
		}
	}
	if a.Flags.Output == NbctlForm {
		return fmt.Errorf("output %q is only for rung compile and rung rows; want %s", NbctlForm, strings.Join(forms, ", "))
	}
	return fmt.Errorf("output %q: want %s", a.Flags.Output, strings.Join(forms, ", "))
}

// AntctlForm is the output of rung ladder that has the columns of antctl.
const AntctlForm = "antctl"

package cli

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/verify"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

func VerifyCommand(a *command.App) *cobra.Command {
	var by string
	var asIf, write bool
	var namespaces []string
	var cmd *cobra.Command
	cmd = command.NetworkCommand(a, &cobra.Command{
		Use:   "verify {FILE… | --write}",
		Short: "Check which connections are allowed and denied; exit 1 on failures",
		Long: `Check statements about connections that must be allowed or denied, kept in files of YAML
or JSON (- for standard input): docs/expectations.md has the form. For each failure one
connection is traced. --by rows asks the zones' rows instead of the policies, --by both
both. Exit 1 if a statement fails, 2 if one cannot be read or asked; the others are still
judged.

--as-if imagines pods for labels that match no pod.

--write prints a first file instead: what the policies allow and deny now between the
pods of all namespaces, or of --namespaces.`,
		Example: `  rung verify examples/expectations.yaml -f examples/
  rung verify examples/expectations.yaml --by both -o junit --context staging
  rung verify --write --namespaces blue,red -f examples/ > expectations.yaml`,
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case write && len(args) > 0:
				return errors.New("--write prints a new file: leave FILE out, and redirect the output with > FILE")
			case !write && len(args) == 0:
				return fmt.Errorf("%s needs FILE, got 0 arguments; see: %s --help", cmd.CommandPath(), cmd.CommandPath())
			case !write && len(namespaces) > 0:
				return errors.New("--namespaces goes with --write")
			}
			return nil
		},
		Annotations: command.FormAnnotations(command.Forms...),
	}, func(files []string, _ bool) command.Query {
		live := !write && needsLiveRows(cmd.Context(), a, by)
		read := sync.OnceValues(func() (*Expectations, error) { return ReadExpectations(cmd.Context(), a, files) })
		return command.Query{Zones: live, Answer: func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			ask, err := parseBy(by)
			switch {
			case err != nil:
				return nil, err
			case write:
				return firstFileAnswer(ctx, r, namespaces)
			case asIf && by != byPolicies:
				return nil, errAsIfRows
			}
			asked, err := read()
			if err != nil {
				return nil, err
			}
			return verifyAnswer(ctx, a, r, asked, verify.Options{By: ask, Compiled: !live, AsIf: asIf, Now: e.Now()})
		}}
	})
	addByFlag(cmd, &by)
	f := cmd.Flags()
	f.BoolVar(&asIf, "as-if", false, "imagine pods for labels that match none")
	f.BoolVar(&write, "write", false, "print a first file, from the present policies")
	f.StringSliceVar(&namespaces, "namespaces", nil, "`NAMESPACES` to write about, comma-separated (default all)")
	cmd.MarkFlagsMutuallyExclusive("write", "as-if")
	cmd.MarkFlagsMutuallyExclusive("write", "by")
	return cmd
}

// Expectations are the statements read from files.
type Expectations struct {
	statements []verify.Statement
	problems   []*verify.Problem
	// Files that could be read.
	Files []model.SourceFile
}

// IsEmpty reports whether there are neither statements nor problems.
func (e *Expectations) IsEmpty() bool { return len(e.statements)+len(e.problems) == 0 }

// standardInput is the file name of statements read from "-".
const standardInput = "standard input"

// maxExpectations limits a file of statements, in bytes.
const maxExpectations = 16 << 20

// ReadExpectations reads files of statements; a problem with one does not affect the others.
func ReadExpectations(ctx context.Context, a *command.App, files []string) (*Expectations, error) {
	out := &Expectations{}
	for _, file := range files {
		text, err := a.ReadGiven(ctx, file, maxExpectations)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out.problems = append(out.problems, &verify.Problem{FilePlace: verify.FilePlace{File: words.CleanText(file)},
				Message: "cannot be read: " + err.Error()})
			continue
		}
		name := file
		if name == "-" {
			name = standardInput
		}
		out.Files = append(out.Files, model.SourceFile{Path: words.CleanText(name), Size: int64(len(text)), Sum: sha256.Sum256(text)})
		s, p := verify.ReadStatements(name, text)
		out.statements, out.problems = append(out.statements, s...), append(out.problems, p...)
	}
	return out, nil
}

func firstFileAnswer(ctx context.Context, r *revision.Revision, namespaces []string) (*command.Answer, error) {
	w, err := verify.WriteStatements(ctx, r, namespaces)
	if err != nil {
		return nil, fmt.Errorf("--write: %w", err)
	}
	return &command.Answer{Value: w.Statements, Text: func(bool) string { return string(w.Text) },
		NotConsidered: revision.OmissionsOfAnswers(r, false), Comments: true}, nil
}

// Time until the first progress message, and between later ones.
const verifyQuiet, verifyAgain = 2 * time.Second, 10 * time.Second

// JudgeExpectations judges statements, and returns the omissions that could change the results.
func JudgeExpectations(ctx context.Context, a *command.App, r *revision.Revision, asked *Expectations, how verify.Options) (*VerifyFacts,
	[]model.Omission, error) {
	next := time.Now().Add(verifyQuiet)
	how.Progress = func(s *verify.Statement, pairs, of int) {
		if now := time.Now(); now.After(next) {
			next = now.Add(verifyAgain)
			fmt.Fprintf(a.Err, "rung: asking about %s: %s of %s done\n", words.CleanLine(s.Title()), words.Thousands(pairs), words.Count(of, "pair"))
		}
	}
	results, problems, err := verify.JudgeStatements(ctx, r, asked.statements, how)
	if err != nil {
		return nil, nil, err
	}
	problems = slices.Concat(asked.problems, problems)
	verify.SortProblems(problems)
	out := &VerifyFacts{Statements: page.MapList(results, func(r verify.Result) StatementFacts { return resultOf(a, r) }),
		Problems: page.MapList(problems, problemOf)}
	var omits []model.Omission
	for i := range out.Statements {
		switch out.Statements[i].Result {
		case resultPass:
			out.Passed++
		case resultFail:
			out.Failed++
		default:
			out.Unproven++
		}
		omits = revision.MergeOmissions(omits, results[i].NotConsidered)
	}
	if len(results) == 0 && len(problems) == 0 {
		omits = append(omits, model.Omission{Code: model.OmittedAll, Why: "nothing was judged: there are no statements"})
	}
	out.OK = out.Passed == len(results) && len(problems) == 0 && len(results) > 0
	for _, p := range problems {
		a.SayOnce(words.CleanLine(p.Error()))
	}
	return out, omits, nil
}

// verifyAnswer judges statements. Statements that cannot be read or asked are reported on stderr, a line each.
func verifyAnswer(ctx context.Context, a *command.App, r *revision.Revision, asked *Expectations, how verify.Options) (*command.Answer,
	error) {
	out, omits, err := JudgeExpectations(ctx, a, r, asked, how)
	if err != nil {
		return nil, err
	}
	ans := &command.Answer{Value: out, Objects: out.Statements, No: out.Failed > 0, Text: out.verifyText, Report: out.report,
		Summary: out.SummaryText(), NotConsidered: omits}
	if len(out.Problems) > 0 {
		ans.Err = command.ErrSaid
	}
	return ans, nil
}

func (o *VerifyFacts) verifyText(wide bool) string {
	t := &command.TextTable{Head: []string{"RESULT", "STATEMENT", "ANSWER"}}
	if wide {
		t.Head = []string{"RESULT", "AT", "STATEMENT", "ANSWER"}
	}
	for i := range o.Statements {
		s := &o.Statements[i]
		cells := []string{s.resultText(), s.title, s.Message}
		if wide {
			cells = []string{s.resultText(), s.positionText(), s.statementText(), s.Message}
		}
		t.AddRow(cells...)
	}
	var b strings.Builder
	if len(t.Rows) > 0 {
		b.WriteString(t.String())
	}
	for i := range o.Statements {
		if s := &o.Statements[i]; s.Result != resultPass {
			fmt.Fprintf(&b, "\n%s: %s: %s\n", s.positionText(), s.statementText(), s.Message)
			if s.Result == resultUnproven {
				b.WriteString("unproven: " + strings.Join(command.OmittedLines(s.NotConsidered), "\n") + "\n")
			}
			if s.Witness != nil {
				b.WriteString("for example ")
				s.Witness.writeExample(&b, wide)
			}
		}
	}
	b.WriteString("\n" + o.SummaryText() + "\n")
	return b.String()
}

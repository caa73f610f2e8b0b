package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/pages/page"
	"rung/pages/rows"
	"rung/revision"
	"rung/system"
)

// reportAsk holds the flags of `rung report`.
type reportAsk struct {
	save, atTime string
	expectations []string
	settle       time.Duration
	at           time.Time // parsed atTime, or zero
}

func ReportCommand(a *command.App) *cobra.Command {
	var asked reportAsk
	cmd := &cobra.Command{
		Use:   "report",
		Short: "Write one file for an audit: ladder, rules, matrix, findings, drift",
		Long: `Write one file for an audit or the review of an incident: the omissions, the matrix of
namespaces, the ladder and every rule, expectations with their proof, findings by cause,
differences of the rows in each zone, the changes made, and digests of the input.

-o html is one file for a browser: it uses no network, sorts and searches without a
server, and prints. -o markdown is for a ticket. --save writes the file whole or not at
all, in the form of its extension.

Rows are compared if there are databases: a cluster's, those of --nb, or those of a
must-gather. The same input gives the same file except for its date: --at-time sets it.`,
		Example: `  rung report -o html -f examples/ > report.html
  rung report --save report.html --expectations examples/expectations.yaml -f examples/
  rung report -o markdown --context staging`,
		Args:        command.TakesArgs(0),
		Annotations: command.FormAnnotations(command.MarkdownForm, command.HTMLForm),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			return asked.checkFlags(a, cmd.Flags().Changed("output"), cmd.Flags().Changed("save"))
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return runReport(cmd.Context(), a, &asked) },
	}
	f := cmd.Flags()
	f.StringVar(&asked.save, "save", "", "write the report to this `FILE`: .html, .md, .json, .yaml or .txt, unless -o says otherwise")
	f.StringVar(&asked.atTime, "at-time", "", "`TIME` of the report, as 2026-11-27T09:00:00Z (default now)")
	f.StringArrayVar(&asked.expectations, "expectations", nil, "`FILE` of statements to check, as for rung verify (repeatable)")
	f.DurationVar(&asked.settle, "settle", model.SettleTime, "`TIME` that a difference of rows may take to settle")
	command.CompleteFlag(cmd, "save", command.FileCompleter())
	command.CompleteFlag(cmd, "expectations", command.FileCompleter("yaml", "yml", "json"))
	return cmd
}

// formsOfNames maps file extensions to forms.
var formsOfNames = map[string]string{".html": command.HTMLForm, ".htm": command.HTMLForm, ".md": command.MarkdownForm, ".json": "json",
	".yaml": "yaml", ".yml": "yaml", ".txt": "wide"}

// checkFlags checks the flags; formGiven says whether -o was given, saves whether --save was.
func (q *reportAsk) checkFlags(a *command.App, formGiven, saves bool) (err error) {
	if saves && q.save == "" {
		return errors.New("--save needs the name of a file")
	}
	if q.atTime != "" {
		if q.at, err = time.Parse(time.RFC3339, q.atTime); err != nil {
			return fmt.Errorf("--at-time %s: want a time with its zone, as 2026-11-27T09:00:00Z", q.atTime)
		}
	}
	if q.save != "" && !formGiven {
		form := formsOfNames[strings.ToLower(filepath.Ext(q.save))]
		if form == "" {
			return fmt.Errorf("--save %s: unknown form; end the name with .html or .md, or give -o", q.save)
		}
		a.Flags.Output = form
	}
	return nil
}

// zonesTime limits the time to read zones.
const zonesTime = 30 * time.Second

func runReport(ctx context.Context, a *command.App, asked *reportAsk) error {
	statements, err := ReadExpectations(ctx, a, asked.expectations)
	if err != nil {
		return err
	}
	a.Flags.Quiet, a.Flags.ForReport = true, true // the report lists what could not be read
	return a.WithEngine(ctx, true, func(*revision.Revision) bool { return true }, func(e *engine.Engine, r *revision.Revision) error {
		if hasDatabases(r) {
			awaitRows(ctx, e, asked.settle)
		}
		unread := e.ReadChanges() // the report says if they are missing
		r = e.Revision()
		now := e.Now()
		b := &reportBuilder{app: a, ctx: ctx, rev: r, now: now, at: cmp.Or(asked.at, now).UTC(), changes: e.Changes(), notices: e.Notices(),
			unread: unread, statements: statements}
		ans, err := b.answer()
		if err != nil {
			return err
		}
		if asked.save != "" {
			return a.SaveAnswer(ans, asked.save)
		}
		return a.ConcludeAnswer(ans)
	})
}

// hasDatabases reports whether rows of databases can be compared.
func hasDatabases(r *revision.Revision) bool {
	return r.System.HasFeature(system.Rows) && (len(r.Zones) > 0 || r.Mode.Name == revision.ClusterMode)
}

// awaitRows waits until every zone was read or cannot be, and differences had time to settle. Zones not read
// by then become omissions.
func awaitRows(ctx context.Context, e *engine.Engine, settle time.Duration) {
	read, settled := command.ZonesSettled(), time.Now().Add(settle)
	ctx, cancel := context.WithTimeout(ctx, max(zonesTime, settle))
	defer cancel()
	_ = e.WaitFor(ctx, func(r *revision.Revision) bool {
		return read(r) && (time.Now().After(settled) || !rows.IsMoving(r.Zones, rows.FactsOf(r, r.Zones, e.Now(), settle)))
	}, time.Now().Add(command.Patience), time.Now().Add(command.LastPatience), settled)
}

// answer makes the report.
func (b *reportBuilder) answer() (*command.Answer, error) {
	s, err := b.sheet()
	if err != nil {
		return nil, err
	}
	ans := &command.Answer{Value: &b.out, NotConsidered: b.omits, TellsOmissions: true, No: b.no}
	if b.failed {
		ans.Err = command.ErrSaid
	}
	ans.Text = func(bool) string { return Text(s) }
	ans.Markdown = func() string { return Markdown(s) }
	ans.Drawing = func(string) string { return HTML(s) }
	return ans, nil
}

// reportOut is the JSON of `rung report` (command-line.md#output), followed by its omissions.
type reportOut struct {
	Title    string            `json:"title"`
	At       page.Stamp        `json:"at"`
	About    map[string]string `json:"about"`
	Summary  []string          `json:"summary"`
	Ladder   any               `json:"ladder"`
	Matrix   []matrixLineOut   `json:"matrix"`
	Verify   *VerifyFacts      `json:"expectations,omitempty"`
	Findings any               `json:"findings"`
	Zones    any               `json:"zones"`
	Drift    []rows.Facts      `json:"drift"`
	Changes  any               `json:"changes"`
	Files    []fileOut         `json:"files"`
	Policies []digestOut       `json:"policies"`
	// Digest over all Policies.
	PoliciesDigest string `json:"policies_sha256,omitempty"`
}

// matrixLineOut lists the destinations of a namespace by verdict.
type matrixLineOut struct {
	From string              `json:"from"`
	To   map[string][]string `json:"to"`
}

// fileOut is an input file.
type fileOut struct {
	Path   string `json:"path"`
	Size   int64  `json:"bytes"`
	SHA256 string `json:"sha256,omitempty"`
}

// digestOut is a policy with the digest of its content.
type digestOut struct {
	Policy string `json:"policy"`
	Digest string `json:"digest"`
	File   string `json:"file,omitempty"`
}

// titleOf returns the title of a report.
func titleOf(r *revision.Revision) string {
	return "Policies of " + cmp.Or(r.Mode.Title, r.Mode.Name)
}

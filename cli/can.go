package cli

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/pages/cluster"
	"rung/revision"
)

// accessTime limits the wait for the API server's answer about the user's permissions.
const accessTime = 10 * time.Second

// CanCommand describes the connection to the cluster.
func CanCommand(a *command.App) *cobra.Command {
	return a.QueryCommand(&cobra.Command{
		Use:   "can",
		Short: "Show the resources Rung reads and skips, and your permissions",
		Long: `Show the cluster and the user, and the resources read, each with its state and a
remedy for errors. Then show the permissions that the API server grants or refuses,
refusals first: each with the feature that needs it and the kubectl command that asks
the same. Last come the omissions and assumptions of answers, with reasons. With -f
show the kinds that were read.

Zones are not read: see "rung zones". Exit 2 if something is left out.`,
		Example: `  rung can --context staging
  rung can -f examples/
  rung can --context staging -o jsonpath='{.permissions[?(@.allowed==false)].command}'`,
		Args: command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		a.ToleratesUnread = true
		return command.Query{
			First: func(ctx context.Context, e *engine.Engine) {
				ctx, cancel := context.WithTimeout(ctx, accessTime)
				defer cancel()
				// If the server does not answer in time, the answer says so. The wait ends early only if every
				// resource is lost: a server that refuses one still reports permissions.
				_ = e.WaitFor(ctx, func(r *revision.Revision) bool {
					return r.Mode.Name != revision.ClusterMode || len(r.Access.Permissions()) > 0 ||
						slices.ContainsFunc(r.Sources, isOutOfReach)
				})
			},
			Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
				facts := cluster.NewFacts(r)
				ans := &command.Answer{Value: facts, NotConsidered: revision.OmissionsOfAnswers(r, false)}
				ans.Text = func(wide bool) string {
					return canText(facts.Sections(cluster.Hints{Allow: "--write allows them"}, e.Now()), wide, command.TerminalWidth(a.Raw))
				}
				if r.Mode.Name == revision.ClusterMode && !facts.Answered {
					ans.Err = errors.New("the API server did not report permissions")
				}
				return ans, nil
			}}
	})
}

// isOutOfReach reports whether a source is lost with everything that is read from it.
func isOutOfReach(s model.SourceState) bool {
	return s.Conn == model.ConnLost && !slices.ContainsFunc(s.Resources, func(r model.SourceResource) bool { return r.Conn != model.ConnLost })
}

// canText prints sections, wrapped to a width unless 0. wide also prints the commands that ask for
// permissions.
func canText(all []cluster.Section, wide bool, width int) string {
	var b strings.Builder
	for i := range all {
		s := &all[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(command.Paint(s.Heading().Role, s.Title) + "\n")
		names := s.NameWidth(false)
		for j := range s.Entries {
			e := &s.Entries[j]
			writeEntry(&b, e, names, width)
			isAsked := e.Copy != "" && e.Indent == 0
			if wide && isAsked && (j+1 == len(s.Entries) || s.Entries[j+1].Copy != e.Copy) {
				b.WriteString("      $ " + e.Copy + "\n")
			}
		}
	}
	return b.String()
}

// writeEntry writes an entry; a value too long for its line wraps below its start.
func writeEntry(b *strings.Builder, e *cluster.Entry, names, width int) {
	lead := strings.Repeat(" ", 2+e.Indent)
	if e.Sign.Text != "" {
		lead += command.Paint(e.Sign.Role, e.Sign.Text) + " "
	}
	if e.Name != "" {
		lead += e.Name
		lead += strings.Repeat(" ", max(2, 2+names-ansi.StringWidth(command.PlainText(lead))))
	}
	value := ""
	for _, span := range e.Value {
		value += command.Paint(span.Role, span.Text)
	}
	indent := ansi.StringWidth(command.PlainText(lead))
	if width > 0 {
		width = max(width-indent, 20)
	}
	for i, line := range command.WrapMarked(value, width) {
		if i > 0 {
			lead = strings.Repeat(" ", indent)
		}
		b.WriteString(lead + line + "\n")
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
)

type logOut struct {
	At       string `json:"at"`
	Zone     string `json:"zone"`
	Policy   string `json:"policy,omitempty"`
	Rule     string `json:"rule,omitempty"`
	RuleName string `json:"rule_name,omitempty"`
	Verdict  string `json:"verdict"`
	From     string `json:"from"`
	To       string `json:"to"`
	Traffic  string `json:"traffic"`
	Raw      string `json:"raw"`
}

func (a *app) logsCmd() *cobra.Command {
	var follow, raw bool
	var watch *bool
	var wait time.Duration
	var filter string
	var lines int
	cmd := &cobra.Command{
		Use:   "logs",
		Short: "ACL log lines as sentences: who was allowed or dropped by which rule",
		Long: `Logs prints the ACL log lines of every zone. In the sandbox the connections are
simulated, and stderr says so. It stops after --lines lines or --for, with
--follow only by Ctrl-C. -o json prints one line for each, -o wide the line of
ovn-controller below each sentence.`,
		Args: takes(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			re, err := regexp.Compile(filter)
			if err != nil {
				return fmt.Errorf("--filter %q: %w", filter, err)
			}
			if len(a.flags.nb) > 0 {
				return errors.New("ACL log lines come from the sandbox only: leave --nb out")
			}
			cfg, err := a.config(false, true)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			if !follow && !*watch {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, wait)
				defer cancel()
			}
			synced := func(r *engine.Revision) bool { return len(r.Zones) > 0 }
			err = a.withConfig(ctx, cfg, synced, func(e *engine.Engine, r *engine.Revision) error {
				if r.Mode.Simulated {
					fmt.Fprintln(a.err, "rung: simulated traffic")
				}
				return a.tail(ctx, e, re, raw, lines)
			})
			if ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
				return nil // the time asked for is over
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "go on until interrupted")
	watch = cmd.Flags().BoolP("watch", "w", false, "the same as --follow")
	cmd.Flags().BoolVar(&raw, "raw", false, "print the lines as ovn-controller writes them")
	cmd.Flags().DurationVar(&wait, "for", 10*time.Second, "how long to listen without --follow")
	cmd.Flags().IntVar(&lines, "lines", 0, "stop after this many lines, 0 for no limit")
	cmd.Flags().StringVar(&filter, "filter", "", "only sentences that match this regular expression")
	return cmd
}

func (a *app) tail(ctx context.Context, e *engine.Engine, re *regexp.Regexp, raw bool, limit int) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	seen, printed := uint64(0), 0
	for {
		for _, x := range e.Logs().Since(seen, 1000) {
			seen = x.Seq
			if !re.MatchString(x.Sentence()) {
				continue
			}
			if err := a.printLog(x, raw); err != nil {
				return err
			}
			if printed++; printed == limit {
				return nil
			}
		}
		select {
		case <-ctx.Done():
			st := e.Logs().Stats()
			if st.Dropped > 0 {
				fmt.Fprintf(a.err, "rung: %d lines were dropped because they came too fast\n", st.Dropped)
			}
			return nil
		case <-tick.C:
		}
	}
}

func (a *app) printLog(x *engine.LogEntry, raw bool) error {
	if raw {
		_, err := fmt.Fprintln(a.out, x.Line.Raw)
		return err
	}
	o := logOut{At: stamp(x.Line.At), Zone: x.Line.Zone, Verdict: x.Line.Verdict, From: x.Src.String(), To: x.Dst.String(),
		Traffic: x.Traffic(), Raw: x.Line.Raw}
	if x.Attributed {
		o.Policy, o.RuleName = x.Unit().String(), x.RuleName
		if x.Rule.Rule >= 0 {
			o.Rule = fmt.Sprintf("%s %d", model.Direction(x.Rule.Direction).Lower(), x.Rule.Rule)
		}
	}
	return a.item(o, func(wide bool) string {
		s := fmt.Sprintf("%s  %-18s %s\n", x.Line.At.UTC().Format("15:04:05.000"), x.Line.Zone, x.Sentence())
		if wide {
			s += "    " + x.Line.Raw + "\n"
		}
		return s
	})
}

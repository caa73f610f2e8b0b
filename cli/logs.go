package cli

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/engine/logs"
	"rung/engine/revision"
	"rung/model"
	"rung/model/words"
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
	Late     bool   `json:"late,omitempty"` // lines of other nodes with a later time came before
}

// logGapOut is a place where lines may be missing.
type logGapOut struct {
	At   string `json:"at"`
	Zone string `json:"zone"`
	Gap  struct {
		From    string  `json:"from"`
		To      string  `json:"to"`
		Missing float64 `json:"missing_seconds"` // at most
		Why     string  `json:"why"`
	} `json:"gap"`
}

func (a *app) logsCmd() *cobra.Command {
	var follow, raw bool
	var watch *bool
	var wait time.Duration
	var filter, controller string
	var lines int
	var since time.Duration
	var nodes []string
	cmd := &cobra.Command{
		Use:   "logs [POLICY]",
		Short: "Print ACL log lines as sentences, with the rule that decided",
		Long: `Print the ACL log lines of every zone in order of time, as sentences: who was
allowed or dropped, by which rule. On a cluster they come from the ovnkube-node pods;
in a sandbox the traffic is simulated, which stderr says. It stops after --for or
--lines; with --follow it runs until Ctrl-C. -o wide adds the line as ovn-controller
wrote it, -o json prints one object per line. Places where lines may be missing are
marked, and nodes whose log could not be followed are named on stderr at the end.

With --controller ZONE it prints instead what that zone's ovnkube-controller wrote
about a policy.`,
		Example: `  rung logs --context staging --since 10m --filter dropped
  rung logs -f policies/ --follow -o json
  rung logs --controller ovn-worker cluster-control`,
		Args: func(cmd *cobra.Command, args []string) error {
			if controller != "" {
				return takes(0, "POLICY")(cmd, args)
			}
			return takes(0)(cmd, args)
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if controller == "" {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.complete(policyChoices)(cmd, args, typed)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if controller != "" {
				return a.controllerLog(cmd.Context(), controller, args[0])
			}
			re, err := regexp.Compile(filter)
			if err != nil {
				return fmt.Errorf("--filter %q: %w", filter, err)
			}
			cfg, err := a.config(cmd.Context(), false, true)
			switch {
			case err != nil:
				return err
			case cfg.Kube == nil && len(a.flags.nb) > 0:
				return errors.New("--nb: a database has no ACL log; log lines come from a cluster or a sandbox")
			case cfg.Kube == nil && (since != 0 || len(nodes) > 0):
				return errors.New("--since and --node are for the logs of a cluster, not for a sandbox")
			case since < 0:
				return fmt.Errorf("--since %s: want a time back from now, such as 10m", since)
			}
			cfg.ExecZones = false // lines need no rows
			cfg.ACLLogs = logs.Scope{Since: since, Nodes: nodes}
			ctx := cmd.Context()
			if !follow && !*watch {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, wait)
				defer cancel()
			}
			synced := func(r *revision.Revision) bool { return cfg.Kube != nil || len(r.Zones) > 0 }
			err = a.withConfig(ctx, cfg, synced, func(e *engine.Engine, r *revision.Revision) error {
				if r.Mode.Simulated {
					fmt.Fprintln(a.err, "rung: simulated traffic")
				}
				for _, n := range nodes {
					if r.Cluster.Node(n) == nil {
						return fmt.Errorf("no node %q; nodes: %s", n, nodeNames(r.Cluster))
					}
				}
				return a.tail(ctx, e, re, raw, lines)
			})
			if ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)) {
				return nil // the time asked for is over
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "keep running until interrupted")
	watch = cmd.Flags().BoolP("watch", "w", false, "same as --follow")
	cmd.Flags().BoolVar(&raw, "raw", false, "print lines as ovn-controller wrote them")
	cmd.Flags().DurationVar(&wait, "for", 10*time.Second, "how long to listen without --follow")
	cmd.Flags().IntVar(&lines, "lines", 0, "stop after this many lines; 0 for no limit")
	cmd.Flags().DurationVar(&since, "since", 0, "on a cluster: start this long ago")
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "on a cluster: only this node (repeatable)")
	cmd.Flags().StringVar(&controller, "controller", "", "what this zone's ovnkube-controller wrote about POLICY")
	cmd.Flags().StringVar(&filter, "filter", "", "only sentences matching this regular expression")
	return cmd
}

func (a *app) tail(ctx context.Context, e *engine.Engine, re *regexp.Regexp, raw bool, limit int) error {
	defer a.readOn()()
	ticks, stop := e.Logs().Subscribe()
	defer stop()
	e.Logs().Ask()
	defer a.unfollowed(e)
	const atOnce = 1000
	seen, came, printed := uint64(0), 0, 0
	for {
		lines := e.Logs().Since(seen, atOnce)
		for _, x := range lines {
			seen = x.Seq
			if x.Gap != nil {
				if err := a.printGap(x); err != nil {
					return err
				}
				continue
			}
			if came++; !re.MatchString(x.Sentence()) {
				continue
			}
			if err := a.printLog(x, raw); err != nil {
				return err
			}
			if printed++; printed == limit {
				return nil
			}
		}
		if len(lines) == atOnce && ctx.Err() == nil {
			continue
		}
		select {
		case <-ctx.Done():
			st := e.Logs().Stats()
			if st.Dropped > 0 {
				fmt.Fprintf(a.err, "rung: %d lines dropped: they came too fast\n", st.Dropped)
			}
			switch {
			case printed == 0 && came > 0:
				fmt.Fprintf(a.err, "rung: %s, none match --filter\n", words.Count(came, "line"))
			case printed == 0:
				fmt.Fprintln(a.err, "rung: no log lines; rung ladder shows what logs")
			}
			return nil
		case <-ticks:
		}
	}
}

// unfollowed names the nodes whose log does not come, on stderr.
func (a *app) unfollowed(e *engine.Engine) {
	for _, s := range e.Logs().Streams() {
		if !s.Up() {
			fmt.Fprintf(a.err, "rung: log of %s not followed: %s: %s\n", s.Zone, s.State, oneLine(s.Error))
		}
	}
}

func (a *app) printGap(x *logs.Entry) error {
	o := logGapOut{At: stamp(x.Line.At), Zone: x.Line.Zone}
	o.Gap.From, o.Gap.To, o.Gap.Missing, o.Gap.Why = stamp(x.Gap.From), stamp(x.Gap.To), x.Gap.Missing.Seconds(), x.Gap.Why
	return a.item(o, func(bool) string {
		return fmt.Sprintf("%s  -- %s\n", x.Line.At.UTC().Format("15:04:05.000"), x.Sentence())
	})
}

func (a *app) printLog(x *logs.Entry, raw bool) error {
	if raw {
		_, err := fmt.Fprintln(a.out, x.Line.Raw)
		return err
	}
	o := logOut{At: stamp(x.Line.At), Zone: x.Line.Zone, Verdict: x.Line.Verdict, From: x.Src.String(), To: x.Dst.String(),
		Traffic: x.Traffic(), Raw: x.Line.Raw, Late: x.Late}
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

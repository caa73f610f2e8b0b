package cli

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/logs"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/themes"
)

type logOut struct {
	At       string   `json:"at"`
	Zone     string   `json:"zone"`
	Policy   string   `json:"policy,omitempty"`
	Rule     string   `json:"rule,omitempty"`
	RuleName string   `json:"rule_name,omitempty"`
	Gone     string   `json:"gone,omitempty"` // the policy or rule no longer exists
	Verdict  string   `json:"verdict"`
	From     string   `json:"from"`
	FromAsOf string   `json:"from_as_of,omitempty"` // "now": the present owner, if the former is unknown
	To       string   `json:"to"`
	ToAsOf   string   `json:"to_as_of,omitempty"`
	Traffic  string   `json:"traffic"`
	Among    []string `json:"among,omitempty"` // first few rules it may be
	Raw      string   `json:"raw"`
	Late     bool     `json:"late,omitempty"` // printed after later lines of other nodes
}

// logGapOut is the JSON of a gap: a place where lines may be missing.
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

func LogsCommand(a *command.App) *cobra.Command {
	var follow, raw, utc bool
	var watch *bool
	var wait time.Duration
	var filter, controller string
	var lines int
	var since string
	var nodes []string
	var sum lineAggregate
	why := ""
	var rule proposalFlags
	cmd := &cobra.Command{
		Use:         "logs [POLICY]",
		Annotations: command.FormAnnotations(command.CSVForm),
		Short:       "Print ACL log lines as sentences, with the rule that decided",
		Long: `Print the ACL log lines of every zone in order of time, as sentences: who was
allowed or denied, by which rule. They come from the ovnkube-node pods of a cluster,
from the simulated traffic of a sandbox, or with --log from files. It stops after --for
or --lines, or at the end of the files; with --follow alone it runs until Ctrl-C.
POLICY keeps only its lines. Gaps where lines may be missing are marked; logs not
followed are named on stderr.

--filter shows the lines that match every term: verdict:deny policy:x rule:5
ns:a->b pod:x ip:10.0.0.0/8 port:53 node:x since:5m until:14:05 "text" /regex/. "not"
negates a term, commas separate alternatives. Times are local, with --utc in UTC.

--aggregate         how often each rule was hit, by whom
--why POLICY        why the policy has no lines, step by step; exit 1 if a step is wrong
--propose POLICY    the policy with rules that allow exactly the connections of the lines,
                    or with --action deny deny them; nothing is applied
--controller ZONE POLICY  what that zone's ovnkube-controller wrote about the policy`,
		Example: `  rung logs --context staging --since 10m --filter "verdict:deny ns:blue->red port:53"
  rung logs -f examples/ --for 5s
  rung logs cluster-control --follow --context staging
  rung logs -f examples/ --follow -o json
  rung logs --aggregate --since 1h -o csv --context staging > hits.csv
  rung logs --why cluster-control -f examples/
  rung logs --context staging --since 10m --filter verdict:deny --propose from-log > new.yaml
  rung logs -f must-gather/ --log must-gather/ --filter verdict:deny
  rung logs --log /var/log/ovn/acl-audit-log.log --follow
  oc adm node-logs --role=worker --path=ovn/acl-audit-log.log | rung logs --log -
  rung logs --controller ovn-worker cluster-control`,
		Args: func(cmd *cobra.Command, args []string) error {
			return command.TakesArgs(words.Choose(controller == "", 1, 0), "[POLICY]")(cmd, args)
		},
		ValidArgsFunction: a.CompleteFirst(command.PolicyChoices),
		RunE: func(cmd *cobra.Command, args []string) error {
			following := follow || *watch
			now := time.Now() // in the zone of the times that are read and printed
			if utc {
				now = now.UTC()
			}
			var begin time.Time
			if since != "" {
				var err error
				if begin, err = words.ParseMoment(since, now, now); err != nil {
					return fmt.Errorf("--since %q: %w", since, err)
				}
			}
			if err := sum.checkFlags(a.Flags.Output, following, begin, now); err != nil {
				return err
			}
			if controller != "" {
				return controllerLog(cmd.Context(), a, controller, args[0])
			}
			if why != "" {
				if len(args) > 0 {
					return fmt.Errorf("--why %s asks about one policy: leave out %s", why, strings.Join(args, " "))
				}
				return logsWhy(cmd.Context(), a, why)
			}
			query, err := logline.Parse(filter, now)
			if err != nil {
				return fmt.Errorf("--filter: %w", err)
			}
			if proposedActions[rule.action] == "" {
				return fmt.Errorf("--action %q: use allow or deny", rule.action)
			}
			files := len(a.Flags.Log.Paths) > 0
			cfg, err := logsConfig(cmd.Context(), a, following)
			switch {
			case err != nil:
				return err
			case cfg.Kube == nil && len(a.Flags.NB) > 0 && !files:
				return errors.New("--nb: a database has no ACL log; log lines come from a cluster or a sandbox")
			case cfg.Kube == nil && len(nodes) > 0:
				return errors.New("--node is for the logs of a cluster, not for a sandbox")
			case lines < 0:
				return fmt.Errorf("--lines %d: want a number of lines, or 0 for all", lines)
			case lines > 0 && sum.on:
				return errors.New("give only one of --lines and --aggregate")
			case begin.After(now):
				return fmt.Errorf("--since %s is in the future", since)
			}
			if cfg.Kube == nil && !files && !begin.IsZero() {
				fmt.Fprintf(a.Err, "rung: --since %s: a sandbox has no lines from before its start\n", since)
			}
			cfg.ExecZones = false // lines need no rows
			cfg.ACLLogs = logs.FollowScope{Nodes: nodes}
			if !begin.IsZero() {
				cfg.ACLLogs.Since = now.Sub(begin)
			}
			if files {
				cfg.LogFiles.Since = begin
			}
			ctx := cmd.Context()
			synced := func(r *revision.Revision) bool { return files || cfg.Kube != nil || len(r.Zones) > 0 }
			err = a.WithConfig(ctx, cfg, synced, func(e *engine.Engine, r *revision.Revision) error {
				if text, _ := r.Mode.TrafficTexts(); text != "" {
					fmt.Fprintln(a.Err, "rung: "+text)
				}
				if !a.PrintsValues() && !raw && !sum.on && differsFromUTC(now) {
					zone, _ := now.Zone()
					fmt.Fprintf(a.Err, "rung: times are local (%s), with --utc in UTC\n", zone)
				}
				keep := func(x *logs.Entry) bool { return x.Matches(&query, nil) }
				if len(args) > 0 {
					k, err := command.PolicyNamed(r, args[0])
					if err != nil {
						return err
					}
					keep = func(x *logs.Entry) bool { return x.Matches(&query, nil) && (x.Gap != nil || x.Rule.Policy == k) }
				}
				for _, n := range nodes {
					if r.Cluster.Node(n) == nil {
						return fmt.Errorf("no node %q; nodes: %s", n, command.NodeNames(r.Cluster))
					}
				}
				listen := ctx
				if cmd.Flags().Changed("for") || !following && !files {
					var cancel context.CancelFunc
					listen, cancel = context.WithTimeout(ctx, wait)
					defer cancel()
				}
				if sum.on {
					err := countLines(listen, a, e, &sum, keep, filter != "" || len(args) > 0)
					return errors.Join(err, a.PrintUnreadLogs(e), a.PrintUnread(r))
				}
				tail := func(take func(*logs.Entry)) error {
					times := &logTimes{today: now.Format(time.DateOnly), zone: now.Location()}
					return tailLines(listen, a, e, keep, raw, lines, following, cfg.LogFiles.Since, times, take)
				}
				if rule.policy != "" {
					err = printProposal(ctx, a, e, &rule, tail)
				} else {
					err = tail(nil)
				}
				err = errors.Join(err, a.PrintUnreadLogs(e))
				if !following {
					err = errors.Join(err, a.PrintUnread(r))
				}
				return err
			})
			switch {
			case ctx.Err() != nil && following && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
				return nil // following ends by a signal
			case err == nil && !following:
				return ctx.Err() // an interrupted run is an error
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&follow, "follow", false, "keep running until interrupted")
	watch = cmd.Flags().BoolP("watch", "w", false, "same as --follow")
	cmd.Flags().BoolVar(&raw, "raw", false, "print lines as ovn-controller wrote them")
	cmd.Flags().DurationVar(&wait, "for", 10*time.Second, "stop after this `TIME`; with --follow or --log: no limit unless given")
	cmd.Flags().IntVar(&lines, "lines", 0, "stop after this `NUMBER` of lines; 0 for no limit")
	cmd.Flags().StringVar(&since, "since", "",
		"start at this `TIME`: 10m ago as 10m, 14:05, 2026-01-31 or 2026-01-31T14:05:00Z; a sandbox has lines since its start")
	cmd.Flags().BoolVar(&utc, "utc", false, "read and print times in UTC, not in local time")
	cmd.Flags().StringArrayVar(&nodes, "node", nil, "on a cluster: only this `NODE` (repeatable)")
	cmd.Flags().StringVar(&controller, "controller", "", "what the ovnkube-controller of this `ZONE` wrote about POLICY")
	sum.register(cmd.Flags())
	cmd.Flags().StringVar(&why, "why", "", "why this `POLICY` has no lines")
	rule.register(cmd)
	cmd.Flags().StringVar(&filter, "filter", "", "only lines that match the `EXPRESSION`, such as verdict:deny policy:web ns:a->b port:53")
	return cmd
}

// tailLines prints lines as they arrive, or passes them to take unless nil. Log files are read from since, or
// from their beginning if zero. Without follow a signal is an error, since the output is incomplete.
func tailLines(ctx context.Context, a *command.App, e *engine.Engine, keep func(*logs.Entry) bool, raw bool, limit int, follow bool,
	since time.Time, times *logTimes, take func(*logs.Entry)) error {
	defer command.WhileRead(a.Raw)()
	ticks, stop := e.Logs().Subscribe()
	defer stop()
	e.Logs().AskForLines()
	const atOnce = 1000
	seen, came, printed := uint64(0), 0, 0
	var err error
	over := e.Logs().EndOfLines()
	end := func() error {
		st := e.Logs().Stats()
		var left error
		if st.Dropped > 0 {
			fmt.Fprintf(a.Err, "rung: %s lost: they arrived too fast\n", words.Count(st.Dropped, "line"))
			left = command.ErrPrinted
		}
		if st.Forgotten > 0 {
			fmt.Fprintf(a.Err, "rung: %s of addresses forgotten, the oldest first: log lines from their time show no names\n",
				words.Count(st.Forgotten, "former holder"))
		}
		printMetersReached(a, e.Logs())
		switch {
		case !follow && errors.Is(ctx.Err(), context.Canceled):
			return ctx.Err()
		case !follow && errors.Is(ctx.Err(), context.DeadlineExceeded) && len(a.Flags.Log.Paths) > 0:
			fmt.Fprintf(a.Err, "rung: %s until --for expired, before the end of the log\n", words.Count(came, "line"))
		case printed == 0 && came > 0:
			fmt.Fprintf(a.Err, "rung: %s, none match\n", words.Count(came, "line"))
		case printed == 0:
			streams := e.Logs().Streams()
			text := whyNoLines(streams, since)
			if u := e.Revision().NeverRead(model.KindNode); u != nil && len(streams) == 0 {
				text = "no log was read: " + words.CleanLine(u.BriefText())
			} else if len(streams) > 0 && !slices.ContainsFunc(streams, func(s logline.Stream) bool { return s.IsUp() || s.File != "" }) {
				text = "no log was read"
			}
			fmt.Fprintln(a.Err, "rung: "+text)
		}
		return left
	}
	for {
		lines := e.Logs().EntriesAfter(seen, atOnce)
		for _, x := range lines {
			seen = x.Seq
			e.Logs().Read(seen)
			if x.Gap == nil {
				came++
			}
			if !keep(x) {
				continue
			}
			switch {
			case take != nil && x.Gap == nil:
				take(x)
			case take == nil && x.Gap == nil:
				err = printLog(a, x, raw, times)
			case take == nil:
				err = printGap(a, x, times)
			}
			if err != nil {
				return err
			}
			if x.Gap != nil {
				continue
			}
			printed++
			if printed == limit {
				return nil
			}
		}
		if len(lines) == atOnce && ctx.Err() == nil {
			continue
		}
		select {
		case <-over:
			if e.Logs().LastNumber() > seen {
				continue
			}
			return end()
		case <-ctx.Done():
			return end()
		case <-ticks:
		}
	}
}

func printGap(a *command.App, x *logs.Entry, times *logTimes) error {
	o := logGapOut{At: page.StampText(x.Line.At), Zone: x.Line.Zone}
	o.Gap.From, o.Gap.To, o.Gap.Missing, o.Gap.Why = page.StampText(x.Gap.From), page.StampText(x.Gap.To), x.Gap.Missing.Seconds(), x.Gap.Why
	return a.PrintItem(o, func(bool) string {
		return fmt.Sprintf("%s  -- %s\n", times.timeText(x.Line.At), x.Sentence())
	})
}

func printLog(a *command.App, x *logs.Entry, raw bool, times *logTimes) error {
	if raw {
		_, err := fmt.Fprintln(a.Out, x.Line.Raw)
		return err
	}
	o := logOut{At: page.StampText(x.Line.At), Zone: x.Line.Zone, Verdict: x.Line.Verdict,
		Traffic: x.Traffic(), Raw: x.Line.Raw, Late: x.Late, Gone: x.Gone}
	o.From, o.FromAsOf = x.Src.NameAndTime()
	o.To, o.ToAsOf = x.Dst.NameAndTime()
	if x.Attributed {
		o.Policy, o.RuleName = x.UnitKey().String(), x.RuleName
		if x.Rule.Rule >= 0 {
			o.Rule = fmt.Sprintf("%s %d", model.Direction(x.Rule.Direction).Lower(), x.Rule.Rule)
		}
	}
	o.Among = model.MapList(x.Candidates, func(ref logline.RuleRef) string {
		return ref.Policy.String() + " " + revision.RuleLabel(ref.Direction, ref.Rule, "")
	})
	return a.PrintItem(o, func(wide bool) string {
		s := fmt.Sprintf("%s  %-18s %s\n", times.timeText(x.Line.At), x.Line.Zone, paintedSentence(x))
		if wide {
			s += "    " + x.Line.Raw + "\n"
		}
		return s
	})
}

// podLooks are roles without a meaning in a line, to tell pods apart.
var podLooks = []page.Role{themes.Accent, themes.CodeKey, themes.CodeText, themes.CodeValue, themes.Info}

// paintedSentence returns the sentence of a line, with each pod always in the same colour.
func paintedSentence(x *logs.Entry) string {
	const arrow = " → "
	src, dst := x.Src.String(), x.Dst.String()
	rest, ok := strings.CutPrefix(x.Sentence(), src+arrow+dst)
	if !ok {
		return x.Sentence()
	}
	paint := func(d *logs.End, text string) string {
		if d.Key.Kind != model.KindPod {
			return text
		}
		h := fnv.New32a()
		_, _ = h.Write([]byte(d.Key.NamespacedName()))
		return command.Paint(podLooks[h.Sum32()%uint32(len(podLooks))], text)
	}
	return paint(&x.Src, src) + arrow + paint(&x.Dst, dst) + rest
}

func logsConfig(ctx context.Context, a *command.App, follow bool) (engine.Config, error) {
	l := &a.Flags.Log
	if len(l.Paths) == 0 {
		cfg, err := a.EngineConfig(ctx, false, true)
		if err == nil {
			err = l.SetLogFiles(ctx, &cfg)
		}
		return cfg, err
	}
	if slices.Contains(l.Paths, "-") && slices.Contains(a.Flags.Files, "-") {
		return engine.Config{}, errors.New("--log and -f cannot both read standard input")
	}
	cfg, err := a.EngineConfig(ctx, false, a.Flags.TrafficRate() > 0)
	var none *engine.NoClusterError
	if errors.As(err, &none) {
		fmt.Fprintln(a.Err, "rung: "+command.LogsAloneText)
		cfg, err = a.LogsAlone(), nil
	}
	if err != nil {
		return cfg, err
	}
	cfg.LogFiles = logs.Files{Stdin: a.In, Follow: follow, Paced: true, Only: !follow}
	return cfg, l.SetLogFiles(ctx, &cfg)
}

// whyNoLines explains why no ACL line was read: what the log files hold instead, or from when they were read.
func whyNoLines(streams []logline.Stream, since time.Time) string {
	files, lines, acls := 0, uint64(0), uint64(0)
	for i := range streams {
		if s := &streams[i]; s.File != "" {
			files, lines, acls = files+1, lines+s.Lines, acls+s.ACLs
		}
	}
	all := words.Count(files, "log file")
	switch {
	case files == 0:
		return "no log lines; rung ladder shows what logs"
	case acls == 0 && lines > 0 && since.IsZero():
		return "no log lines: " + all + ": " + logs.NoACLLines(lines)
	case !since.IsZero():
		return "no log lines: " + all + ", no ACL line since " + since.Format(time.DateTime) + " (--since)"
	}
	return "no log lines in " + all
}

// differsFromUTC reports whether the zone of now differs from UTC in winter or in summer.
func differsFromUTC(now time.Time) bool {
	_, winter := time.Date(now.Year(), 1, 1, 0, 0, 0, 0, now.Location()).Zone()
	_, summer := time.Date(now.Year(), 7, 1, 0, 0, 0, 0, now.Location()).Zone()
	return winter != 0 || summer != 0
}

// logTimes formats the times of log lines: the time of day, and from the first line of another day on also
// the date.
type logTimes struct {
	today string
	zone  *time.Location
	dated bool
}

// timeText formats a time, dated from the first line of another day on, to make the order clear. Only times in
// UTC end in Z, as on the console's page.
func (t *logTimes) timeText(at time.Time) string {
	at = at.In(t.zone)
	t.dated = t.dated || at.Format(time.DateOnly) != t.today
	return at.Format(words.Choose(t.dated, "2006-01-02 ", "") + "15:04:05.000" + words.Choose(t.zone == time.UTC, "Z", ""))
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/change"
	"rung/change/gate"
	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/logline"
	"rung/model/words"
	"rung/pages/activity"
	"rung/revision"
	"rung/system"
)

type levelFlags struct {
	change             changeFlags
	levels             model.LogLevels
	off, end, sessions bool
	lasts, label       string
	wait               bool
}

func LogLevelCommand(a *command.App) *cobra.Command {
	f := &levelFlags{}
	cmd := &cobra.Command{
		Use:   "log-level {NAME… LEVELS | --end [NAME…] | --sessions}",
		Short: "Log policies and namespaces, for a while or permanently",
		Long: `Change what AdminNetworkPolicies, the baseline or namespaces log: their annotation
k8s.ovn.org/acl-logging. NAME is a policy, or namespace/NAME: the NetworkPolicies and
the EgressFirewall of a namespace log as its annotation says.
Levels: ` + strings.Join(model.LogSeverities, ", ") + `. An action without a level does
not log. Unknown levels are refused: OVN-Kubernetes would freeze the policy.

Policies in tiers log rule by rule, by the field enableLogging, and have no levels: on and
off switch all rules of an action and leave the others unchanged; --off switches all
rules off.

With --for the logging is a session: at its end the annotation is restored, byte for
byte. The session is recorded in the annotation ` + model.AnnotationLogSession + `,
so that any Rung can end it: a running console or rung reconcile when it expires, else
the next Rung started, on any machine. Changes by others are kept. Without --for the
level is permanent.`,
		Example: `  rung log-level cluster-control --deny warning --for 15m --context staging --write
  rung log-level namespace/blue --allow info --deny alert --for open --context staging --write
  rung log-level --sessions --context staging
  rung log-level --end --context staging --write
  rung log-level cluster-control --off -f examples/ --write-back`,
		ValidArgsFunction: a.CompleteFirst(func(_ *engine.Engine, r *revision.Revision) []string {
			out := command.ChoicesOfKind(r, func(k model.Kind) bool { return k.HasLogLevel() && k != model.KindNamespace })
			for n := range r.Cluster.Namespaces() {
				out = append(out, "namespace/"+n.Name)
			}
			return out
		}),
		RunE: func(cmd *cobra.Command, args []string) error { return logLevel(cmd.Context(), a, f, args) },
	}
	f.change.registerTrial(cmd)
	for flag, level := range map[string]*string{"allow": &f.levels.Allow, "deny": &f.levels.Deny, "pass": &f.levels.Pass} {
		cmd.Flags().StringVar(level, flag, "", "`LEVEL` for "+strings.ToUpper(flag[:1])+flag[1:]+" rules")
		command.CompleteFlag(cmd, flag, command.FixedWords(append([]string{logline.On, logline.Off}, model.LogSeverities...)...))
	}
	cmd.Flags().BoolVar(&f.off, "off", false, "log nothing")
	cmd.Flags().StringVar(&f.label, "label", "", "logLabel of the rules switched on, if rules log one by one: `TEXT` in each of "+
		"their lines")
	cmd.Flags().StringVar(&f.lasts, "for", "", "log for this `TIME`, such as 15m, then as before; open: until --end")
	command.CompleteFlag(cmd, "for", command.FixedWords("15m", "1h", openSession))
	cmd.Flags().BoolVar(&f.wait, "wait", false, "with --for: wait until the session ends; ctrl+c ends it at once")
	cmd.Flags().BoolVar(&f.end, "end", false, "end logging sessions, all or those named")
	cmd.Flags().BoolVar(&f.sessions, "sessions", false, "list logging sessions: who logs what, until when")
	return cmd
}

// openSession is the length of a session without an end.
const openSession = "open"

func logLevel(ctx context.Context, a *command.App, f *levelFlags, args []string) error {
	m, err := f.levelMutation(len(args))
	switch {
	case err != nil:
		return err
	case f.sessions: // who logs what until when, also sessions that ended
		return a.WithObjects(ctx, func(e *engine.Engine, r *revision.Revision) error {
			all := activity.NewSessionFacts(r, e.Sessions().AllEnded(), e.Now())
			ans := command.TableAnswer(a, all, activity.SessionTable, all.AllSessions())
			ans.NotConsidered = revision.OmissionsOfObjects(r)
			return a.ConcludeAnswer(ans)
		})
	case f.end:
		return endSessions(ctx, a, f, args)
	}
	if err := checkCanChange(a, &f.change); err != nil {
		return err
	}
	return a.WithChange(ctx, func(e *engine.Engine, r *revision.Revision) error {
		if m.Policies, err = findAllLogged(r, args); err != nil {
			return err
		}
		oneByOne := func(k model.Key) bool { p := r.Cluster.Policy(k); return p != nil && p.Tiered != nil }
		if f.label != "" && !slices.ContainsFunc(m.Policies, oneByOne) {
			return errors.New("--label needs policies whose rules log one by one")
		}
		if err := checkTerminal(a, &f.change); err != nil {
			return err
		}
		say := func(p *gate.Preview) { printLogging(a, e, p) }
		if err := runChange(ctx, a, e, &f.change, m, say); err != nil || !f.wait || f.change.dryRun {
			return err
		}
		return awaitSession(ctx, a, e, m.Policies)
	})
}

// levelMutation returns the requested change; names counts the arguments. For --sessions and --end the result
// is not used.
func (f *levelFlags) levelMutation(names int) (m change.Mutation, err error) {
	m = change.Mutation{Op: change.OpLogLevel, Levels: f.levels, LogLabel: f.label}
	set := f.levels.IsOn() || f.off || f.label != "" || f.lasts != "" || f.wait
	switch {
	case f.end && f.sessions, (f.end || f.sessions) && set:
		return m, errors.New("give only one of --end, --sessions and levels")
	case f.sessions && names > 0:
		return m, errors.New("--sessions lists all: give no names")
	case f.sessions, f.end:
		return m, nil
	case names == 0:
		return m, errors.New("give the NAME of a policy, or namespace/NAME")
	}
	for _, l := range []string{f.levels.Allow, f.levels.Deny, f.levels.Pass} {
		if !model.ValidLogLevel(l) && l != logline.On && l != logline.Off {
			return m, fmt.Errorf("log level %q: want %s; with any other OVN-Kubernetes would freeze the policy", l,
				strings.Join(model.LogSeverities, ", "))
		}
	}
	switch {
	case f.levels.IsOn() == f.off:
		return m, errors.New("give a LEVEL for --allow, --deny or --pass, or --off alone")
	case f.lasts == "" && f.wait:
		return m, errors.New("--wait needs --for")
	case f.label != "" && f.off:
		return m, errors.New("--label is for rules switched on: omit it with --off")
	case f.lasts == "":
		return m, nil
	case f.off:
		return m, errors.New("--for is for logging: give a LEVEL")
	case f.change.within > 0:
		return m, errors.New("give only one of --confirm and --for")
	}
	m.Session = true
	if f.lasts != openSession {
		if m.SessionTime, err = time.ParseDuration(f.lasts); err != nil || m.SessionTime <= 0 {
			return m, fmt.Errorf("--for %q: want a time such as 15m or 90s, or %s", f.lasts, openSession)
		}
	}
	return m, nil
}

func findAllLogged(r *revision.Revision, names []string) (out []model.Key, err error) {
	for _, n := range names {
		k, err := findLogged(r, n)
		if err != nil {
			return nil, err
		}
		out = model.AppendNew(out, k)
	}
	return out, nil
}

func findLogged(r *revision.Revision, name string) (model.Key, error) {
	if kind, ns, ok := strings.Cut(name, "/"); ok && (strings.EqualFold(kind, string(model.KindNamespace)) || kind == "ns") {
		if r.Cluster.Namespace(ns) == nil {
			return model.Key{}, command.NoNamespace(r, ns)
		}
		return model.Key{Kind: model.KindNamespace, Name: ns}, nil
	}
	k, err := command.PolicyNamed(r, name)
	if err == nil && !k.Kind.HasLogLevel() {
		return k, fmt.Errorf("%s logs as its namespace's annotation says: use rung log-level namespace/%s", k.Label(), k.Namespace)
	}
	return k, err
}

// printLogging prints in which zones rows log, and until when.
func printLogging(a *command.App, e *engine.Engine, p *gate.Preview) {
	r := e.Revision()
	for i := range p.Objects {
		k := p.Objects[i].Key
		s := revision.FindLogSession(r, k)
		if s == nil {
			continue
		}
		logs, behind := 0, 0
		for _, z := range revision.LoggingByZone(r, k) {
			if z.Why == "" {
				logs++
				continue
			}
			behind++
			what := "does not log yet"
			if z.Rows < 0 {
				what = "cannot be seen"
			}
			fmt.Fprintf(a.Err, "%s: zone %s %s: %s\n", k.Label(), z.Zone, what, words.CleanLine(z.Why))
		}
		then := ""
		if !s.Until.IsZero() {
			then = "; any running Rung ends it, else the next one started"
		}
		where := fmt.Sprintf(" in %s of %s zones", words.Thousands(logs), words.Thousands(logs+behind))
		if !r.System.HasFeature(system.Rows) {
			where = ": " + s.Level
		}
		fmt.Fprintf(a.Err, "%s logs%s; %s%s; rung log-level --end ends it\n", k.Label(), where, s.BriefText(e.Now()), then)
	}
}

func endSessions(ctx context.Context, a *command.App, f *levelFlags, names []string) error {
	if err := checkCanAsk(a, &f.change); err != nil {
		return err
	}
	return a.WithChange(ctx, func(e *engine.Engine, r *revision.Revision) error {
		targets, err := findAllLogged(r, names)
		if err != nil {
			return err
		}
		if len(names) == 0 {
			targets = model.MapList(revision.LogSessions(r), func(s revision.LogSession) model.Key { return s.Target })
		}
		if len(targets) == 0 {
			fmt.Fprintln(a.Err, "no logging session")
			return nil
		}
		m := change.Mutation{Op: change.OpLogEnd, Policies: targets}
		return runChange(ctx, a, e, &f.change, m, func(p *gate.Preview) { printLogging(a, e, p) })
	})
}

// awaitSession waits until the sessions of some objects are over and ends them, or ends them at once at
// ctrl+c.
func awaitSession(ctx context.Context, a *command.App, e *engine.Engine, targets []model.Key) error {
	open := func(r *revision.Revision) (out []revision.LogSession) {
		for _, k := range targets {
			if s := revision.FindLogSession(r, k); s != nil && s.Problem == "" {
				out = append(out, *s)
			}
		}
		return out
	}
	ticks, end := e.Subscribe()
	defer end()
	for {
		left := open(e.Revision())
		if len(left) == 0 {
			return nil
		}
		var next <-chan time.Time
		due := 0
		for _, s := range left {
			switch {
			case s.IsOpen():
			case s.IsOver(e.Now()):
				due++
			case next == nil: // all end at the same time
				t := time.NewTimer(s.Until.Sub(e.Now()))
				defer t.Stop()
				next = t.C
			}
		}
		if due > 0 {
			if !a.EndOverdue(ctx, e) {
				return fmt.Errorf("%s logging sessions have expired, but none could be ended", words.Thousands(due))
			}
			continue
		}
		select {
		case <-ctx.Done():
			back, cancel := context.WithTimeout(context.Background(), backTime)
			defer cancel()
			for _, s := range open(e.Revision()) {
				endSession(back, a, e, s.Target)
			}
			return ctx.Err()
		case <-ticks:
		case <-next:
		}
	}
}

func endSession(ctx context.Context, a *command.App, e *engine.Engine, k model.Key) {
	p, err := e.Preview(ctx, change.Mutation{Op: change.OpLogEnd, Policies: []model.Key{k}})
	if err == nil && p.IsNoChange() {
		return
	}
	if err == nil {
		_, err = e.Commit(ctx, p, gate.Confirm{Yes: true, Name: p.ConfirmName, By: "cli", Finish: true})
	}
	if err != nil {
		fmt.Fprintf(a.Err, "logging of %s was not ended: %s; rung log-level --end ends it\n", k.Label(), words.CleanLine(err.Error()))
		return
	}
	fmt.Fprintf(a.Err, "logging of %s ended\n", k.Label())
}

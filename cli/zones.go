package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/zones"
	"rung/model"
	"rung/model/words"
	"rung/pages/cluster"
	"rung/revision"
)

// zoneOut is a zone in the JSON of `rung zones`; Southbound is nil if unknown.
type zoneOut struct {
	*cluster.ZoneFacts
	Southbound *southboundOut `json:"southbound,omitempty"`
}

func ZonesCommand(a *command.App) *cobra.Command {
	var table, conditions, check bool
	var flows, second *bool
	var only Selection
	cmd := a.QueryCommand(&cobra.Command{
		Use:   "zones",
		Short: "Show each zone: database, state, policies in sync",
		Long: `Show each zone with its database and the number of policies in sync. OTHER ROWS belong
to no single policy, such as the default deny of a namespace. --dialect shows the
settings of OVN-Kubernetes in each zone, with their sources. -l and --field-selector
select zones by their nodes.

ROWS/FLOWS/NODES are NB_Global's nb_cfg, sb_cfg and hv_cfg: of the rows written, the
flows made, the nodes done. --flows also compares the logical flows with the rows.

--conditions shows what the zones' controllers reported about AdminNetworkPolicies and
the baseline, worst first: no proof. -o wide, json and yaml add the state of the rows.

--check compares the zones with each other: address sets must be equal, port groups must
add up to the subject, and ACLs must be equal. Exit 1 if something is wrong and not just
settling. ` + secondHelp,
		Example: `  rung zones --context staging
  rung zones --context staging -l topology.kubernetes.io/zone=a
  rung zones --context staging --check
  rung zones --nb unix:/var/run/ovn/ovnnb_db.sock`,
		Annotations: command.FormAnnotations(command.NameForm, command.MarkdownForm, command.CSVForm),
		Args:        command.TakesArgs(0),
	}, func([]string, bool) command.Query {
		switch {
		case conditions:
			return conditionsQuery(a)
		case check:
			return command.Query{Zones: true, Answer: withSecondReader(a, *second, "", checkAnswer(a))}
		}
		a.Flags.RowsOnly = true
		q := command.Query{Zones: true}
		if *flows {
			requestFlows(a, "")
			q.First = func(ctx context.Context, e *engine.Engine) { waitForFlows(ctx, a, e) }
		}
		q.Answer = func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			a.PrintNoRows(r)
			now := e.Now()
			asked := slices.DeleteFunc(slices.Clone(r.Zones), func(z *model.ZoneState) bool {
				return !only.IsAll() && !only.KeepsKey(r, model.Key{Kind: model.KindNode, Name: z.Name})
			})
			all := model.MapList(asked, func(z *model.ZoneState) *cluster.ZoneFacts { return cluster.AllFactsOfZone(r, z, now) })
			out := model.MapList(all, func(z *cluster.ZoneFacts) zoneOut { return zoneOut{z, describeSouthbound(r, z.ZoneState, now)} })
			listing := *cluster.Table
			listing.Empty = r.EmptyText(listing.Empty, model.KindNode)
			ans := command.TableAnswer(a, out, &listing, all)
			ans.NotConsidered = revision.OmissionsOfRows(r, asked)
			if *flows && !slices.ContainsFunc(out, func(z zoneOut) bool { return z.Southbound != nil && z.Southbound.Flows != nil }) {
				ans.NotConsidered = append(ans.NotConsidered, model.Omission{Code: model.OmittedPart,
					Why: "--flows: no Southbound database of these zones was read"})
			}
			ans.LeftOut = only.LeftOutText(len(asked), len(r.Zones), "zone")
			ans.Names = func() []string {
				return model.MapList(asked, func(z *model.ZoneState) string { return command.ZonePrefix + z.Name })
			}
			list, markdown := ans.Text, ans.Markdown
			ans.Markdown = func() string { return markdown() + mdBelow(zonesBelow(out)) }
			if table {
				ans.CSV, ans.Markdown = nil, nil // they only hold zones
			}
			ans.Text = func(wide bool) string {
				switch text := list(wide) + zonesBelow(out); {
				case table:
					return settingsText(r, all)
				case wide:
					return text + "\n" + settingsText(r, all)
				default:
					return text
				}
			}
			return ans, nil
		}
		return q
	})
	flows = cmd.Flags().Bool("flows", false, "also read the Southbound databases, and compare flows with the rows")
	cmd.Flags().BoolVar(&conditions, "conditions", false, "what each zone's controller reported about each policy")
	cmd.Flags().BoolVar(&check, "check", false, "compare the zones with each other; exit 1 on findings")
	cmd.Flags().BoolVar(&table, "dialect", false, "the settings OVN-Kubernetes runs with in each zone")
	second = addSecondReaderFlag(cmd)
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if *second && !check {
			return errors.New("--second-reader goes with --check")
		}
		return nil
	}
	only.AddSelectors(a, cmd, Nodes)
	for _, name := range []string{"conditions", "check"} { // about policies, and about several zones
		cmd.MarkFlagsMutuallyExclusive(name, "selector")
		cmd.MarkFlagsMutuallyExclusive(name, "field-selector")
	}
	cmd.MarkFlagsMutuallyExclusive("conditions", "check", "dialect")
	cmd.MarkFlagsMutuallyExclusive("flows", "conditions")
	cmd.MarkFlagsMutuallyExclusive("flows", "check")
	return cmd
}

func mdBelow(lines string) string {
	if lines == "" {
		return ""
	}
	return "\n" + command.MarkdownLines(lines) + "\n"
}

func checkAnswer(a *command.App) command.Answerer {
	return func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
		now := e.Now()
		found := revision.ZoneFindings(r, now)
		ans := findingsAnswer(a, found, model.SeverityError, model.SeverityWarning)
		ans.NotConsidered = revision.OmissionsOfRows(r, r.Zones)
		if _, err := command.ZonesNamed(r, ""); err != nil {
			return nil, err
		}
		setNothingFoundText(ans, len(found))
		ans.Err = command.UnreadZone(r.Zones)
		if ans.Err != nil && len(found) == 0 {
			return nil, ans.Err
		}
		if len(found) > 0 {
			ans.Until = now.Add(time.Second) // they contain durations
		}
		return ans, nil
	}
}

// settingsText lists the settings of OVN-Kubernetes, and the form of its rows.
func settingsText(r *revision.Revision, all []*cluster.ZoneFacts) string {
	if r.Dialects == nil {
		return "sandbox zones: settings come from Rung's own flags (rung options)\n"
	}
	t := &command.TextTable{Head: []string{"ZONE", "SETTING", "VALUE", "SOURCE", "EVIDENCE"}}
	for _, z := range all {
		for _, s := range z.Dialect.Settings {
			t.AddRow(z.Name, s.Name, s.Value, s.Source, s.Evidence)
		}
		for _, g := range z.Dialect.Rows {
			t.AddRow(z.Name, "rows of "+g.Type, string(g.Generation), revision.FromRows, z.Dialect.EvidenceText(&g))
		}
	}
	return t.String()
}

// zonesBelow lists the state of flows that were read, and the problems of zones.
func zonesBelow(all []zoneOut) string {
	var b strings.Builder
	for _, z := range all {
		if s := z.Southbound; s != nil && s.Flows != nil {
			b.WriteString(z.Name + ": " + s.Flows.Summary + "\n")
		}
		for _, text := range z.ProblemTexts() {
			b.WriteString(z.Name + ": " + text + "\n")
		}
	}
	return b.String()
}

// reportTime limits the wait for the reports of Rung's own reconcilers.
const reportTime = 2 * time.Second

// conditionsQuery returns the query of rung zones --conditions: a line for each policy (wide: for each policy
// and zone), then the messages of failing zones.
func conditionsQuery(a *command.App) command.Query {
	return command.Query{Zones: true,
		First: func(ctx context.Context, e *engine.Engine) {
			ctx, cancel := context.WithTimeout(ctx, reportTime)
			defer cancel()
			_ = e.WaitFor(ctx, hasReported) // what has not reported by then has no report
		},
		Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			all := cluster.AllReports(r, e.Now())
			var zones []*cluster.ZoneReport
			failures := ""
			for _, p := range all {
				zones = append(zones, p.Reports...)
				for _, f := range p.Failures {
					failures += p.Label + ": " + f.String() + "\n"
				}
			}
			ans := command.TableAnswer(a, all, cluster.Policies, all)
			list, wide := ans.Text, command.TableAnswer(a, all, cluster.Zones, zones).Text
			ans.Text = func(all bool) string {
				if all {
					return wide(true)
				}
				return list(false) + failures
			}
			ans.Names = func() []string {
				return command.PolicyNames(model.MapList(all, func(p *cluster.PolicyReports) model.PolicyKey { return p.Key }))
			}
			ans.NotConsidered = revision.OmissionsOfRows(r, r.Zones)
			return ans, nil
		}}
}

// secondName is the hidden command run by a child process of --second-reader.
const secondName = "second-reader"

// SecondReaderCommand makes the child process: it reads the database behind a socket through libovsdb and
// prints its rows. The parent ends it by closing its input.
func SecondReaderCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: secondName + " SOCKET", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Read a database through libovsdb, for --second-reader",
		RunE: func(cmd *cobra.Command, args []string) error {
			return zones.Reader(cmd.Context(), a.In, args[0], a.Raw)
		},
	}
}

// secondHelp is the help text about --second-reader.
const secondHelp = `--second-reader reads each zone again through libovsdb, the client of OVN-Kubernetes,
and compares it row by row with what Rung reads: exit 1 if a row differs, 2 if
libovsdb could not read a zone.`

// addSecondReaderFlag adds --second-reader to a command that shows zones.
func addSecondReaderFlag(cmd *cobra.Command) *bool {
	asked := cmd.Flags().Bool("second-reader", false, "also read each zone through libovsdb, the client of OVN-Kubernetes; exit 1 where a "+
		"row differs")
	cmd.MarkFlagsMutuallyExclusive("second-reader", "watch")
	return asked
}

type secondOut struct {
	Zone        string                `json:"zone"`
	Rows        int                   `json:"rows"` // rows read by libovsdb
	Error       string                `json:"error,omitempty"`
	Differences []zones.RowDifference `json:"differences"`
	More        int                   `json:"more_rows,omitempty"` // further rows that differ
}

// withSecondReader adds, if asked, libovsdb's reading of the named zone, or of all zones, to an answer about zones.
func withSecondReader(a *command.App, asked bool, zone string, once command.Answerer) command.Answerer {
	if !asked {
		return once
	}
	return func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
		ans, err := once(ctx, e, r)
		if err != nil {
			return nil, err
		}
		zones, err := command.ZonesNamed(r, zone)
		if err == nil {
			readAgain(ctx, a, e, zones, ans)
		}
		return ans, err
	}
}

// readAgain reads the zones through libovsdb and appends the result to an answer.
func readAgain(ctx context.Context, a *command.App, e *engine.Engine, of []*model.ZoneState, ans *command.Answer) {
	var found []zones.ZoneReading
	read := make(chan struct{})
	go func() {
		defer close(read)
		found = zones.ReadZones(ctx, e.Zones(), model.MapList(of, func(z *model.ZoneState) string { return z.Name }), secondName)
	}()
	late, cancel := context.WithTimeout(ctx, command.WaitNoticeDelay)
	defer cancel()
	select {
	case <-read:
	case <-late.Done():
		if ctx.Err() == nil {
			fmt.Fprintln(a.Err, "rung: waiting for libovsdb to read the zones")
		}
		<-read
	}
	out := make([]secondOut, len(found))
	for i, f := range found {
		out[i] = secondOut{Zone: f.Zone, Differences: []zones.RowDifference{}}
		if f.Err != nil {
			out[i].Error = words.CleanLine(f.Err.Error())
			if ans.Err == nil {
				ans.Err = fmt.Errorf("second reader: zone %s: %w", f.Zone, f.Err)
			}
			continue
		}
		out[i].Rows, out[i].More = f.Rows, f.More
		for _, d := range f.Differences {
			d.Rung, d.Libovsdb = append([]string{}, d.Rung...), append([]string{}, d.Libovsdb...)
			out[i].Differences = append(out[i].Differences, d)
		}
		ans.No = ans.No || len(f.Differences)+f.More > 0
	}
	ans.Value = struct {
		Answer       any         `json:"answer"`
		SecondReader []secondOut `json:"second_reader"`
	}{ans.Value, out}
	text, below := ans.Text, secondText(out)
	ans.Text = func(wide bool) string { return text(wide) + "\n" + below }
	if form := a.Flags.Output; form != "table" && form != "wide" && !a.PrintsValues() {
		fmt.Fprint(a.Err, below)
	}
}

func secondText(zones []secondOut) string {
	var b strings.Builder
	rows, same := 0, 0 // of zones without difference
	for _, z := range zones {
		differing := z.countDiffering()
		switch {
		case z.Error != "":
			fmt.Fprintf(&b, "second reader: zone %s not read: %s\n", z.Zone, z.Error)
		case differing > 0:
			fmt.Fprintf(&b, "second reader: zone %s: %s differ from what Rung reads\n", z.Zone, words.Count(differing, "row"))
			for _, d := range z.Differences {
				fmt.Fprintf(&b, "  %s\n", rowText(&d))
			}
			if z.More > 0 {
				fmt.Fprintf(&b, "  and %s\n", words.Count(z.More, "more row"))
			}
		default:
			rows, same = rows+z.Rows, same+1
		}
	}
	if same > 0 {
		of := "zone"
		if same < len(zones) {
			of = "other zone"
		}
		fmt.Fprintf(&b, "second reader: libovsdb reads the same %s in %s\n", words.Count(rows, "row"), words.Count(same, of))
	}
	return b.String()
}

func (z *secondOut) countDiffering() int {
	rows := map[string]bool{}
	for _, d := range z.Differences {
		rows[d.Table+" "+d.UUID] = true
	}
	return len(rows) + z.More
}

func rowText(d *zones.RowDifference) string {
	at := d.Table + " " + d.UUID
	if d.Name != "" {
		at += " (" + d.Name + ")"
	}
	list := func(of []string, more int) string {
		text := strings.Join(of, ", ")
		if more > 0 {
			text += fmt.Sprintf(" and %s more", words.Thousands(more))
		}
		return text
	}
	rung, libovsdb := list(d.Rung, d.MoreRung), list(d.Libovsdb, d.MoreLibovsdb)
	if d.Column != "" {
		at += " " + d.Column
	}
	switch {
	case libovsdb == "":
		return at + ": only Rung reads " + rung
	case rung == "":
		return at + ": only libovsdb reads " + libovsdb
	}
	return at + ": Rung reads " + rung + ", libovsdb " + libovsdb
}

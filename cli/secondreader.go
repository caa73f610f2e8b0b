package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/cli/command"
	"rung/engine"
	"rung/engine/zones"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
)

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
and compares row by row: exit 1 if a row differs, 2 if libovsdb could not read a
zone.`

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
		found = zones.ReadZones(ctx, e.Zones(), page.MapList(of, func(z *model.ZoneState) string { return z.Name }), secondName)
	}()
	late, cancel := context.WithTimeout(ctx, command.SayAfter)
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

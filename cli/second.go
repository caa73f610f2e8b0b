package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/revision"
)

// secondName is the hidden command that a child of --second-reader runs.
const secondName = "second-reader"

// secondCmd is the child: it reads the database behind a socket through libovsdb and
// prints its rows. Its parent ends it by the end of its input.
func (a *app) secondCmd() *cobra.Command {
	return &cobra.Command{
		Use: secondName + " SOCKET", Hidden: true, Args: cobra.ExactArgs(1),
		Short: "Read a database through libovsdb, for --second-reader",
		RunE: func(cmd *cobra.Command, args []string) error {
			return engine.SecondReader(cmd.Context(), a.in, args[0], a.raw)
		},
	}
}

// secondHelp is what help says of it.
const secondHelp = `--second-reader reads each zone once more, through libovsdb, the client that
OVN-Kubernetes uses, and compares row by row: exit 1 when a row differs from what
Rung reads, 2 when libovsdb could not read one of the zones.`

// secondFlag adds --second-reader to a command that shows zones.
func secondFlag(cmd *cobra.Command) *bool {
	asked := cmd.Flags().Bool("second-reader", false, "also read each zone through libovsdb, the client of OVN-Kubernetes; exit 1 where a row differs")
	cmd.MarkFlagsMutuallyExclusive("second-reader", "watch")
	return asked
}

// secondOut is a zone read through libovsdb.
type secondOut struct {
	Zone        string      `json:"zone"`
	Rows        int         `json:"rows"` // that libovsdb read
	Error       string      `json:"error,omitempty"`
	Differences []secondRow `json:"differences"`
	More        int         `json:"more_rows,omitempty"` // that differ
}

// secondRow is a column that the two have otherwise; without a column, a row that
// one of them has.
type secondRow struct {
	Table        string   `json:"table"`
	UUID         string   `json:"uuid"`
	Name         string   `json:"name,omitempty"`
	Column       string   `json:"column,omitempty"`
	Rung         []string `json:"rung"`
	Libovsdb     []string `json:"libovsdb"`
	MoreRung     int      `json:"rung_more,omitempty"`
	MoreLibovsdb int      `json:"libovsdb_more,omitempty"`
}

// readTwice has an answer about zones, the one named or all, also say how libovsdb reads
// them, where that was asked.
func (a *app) readTwice(asked bool, zone string, once answerer) answerer {
	if !asked {
		return once
	}
	return func(ctx context.Context, e *engine.Engine, r *revision.Revision) (*answer, error) {
		ans, err := once(ctx, e, r)
		if err != nil {
			return nil, err
		}
		zones, err := zonesNamed(r, zone)
		if err == nil {
			a.readAgain(ctx, e, zones, ans)
		}
		return ans, err
	}
}

// readAgain reads the zones through libovsdb and puts what that found below an answer.
func (a *app) readAgain(ctx context.Context, e *engine.Engine, zones []*model.ZoneState, ans *answer) {
	var found []engine.SecondRead
	read := make(chan struct{})
	go func() {
		defer close(read)
		found = e.SecondReads(ctx, each(zones, func(z *model.ZoneState) string { return z.Name }), secondName)
	}()
	late, cancel := context.WithTimeout(ctx, sayAfter)
	defer cancel()
	select {
	case <-read:
	case <-late.Done():
		if ctx.Err() == nil {
			fmt.Fprintln(a.err, "rung: waiting for libovsdb to read the zones")
		}
		<-read
	}
	out := make([]secondOut, len(found))
	for i, f := range found {
		out[i] = secondOut{Zone: f.Zone, Differences: []secondRow{}}
		if f.Err != nil {
			out[i].Error = oneLine(f.Err.Error())
			if ans.err == nil {
				ans.err = fmt.Errorf("second reader: zone %s: %w", f.Zone, f.Err)
			}
			continue
		}
		out[i].Rows, out[i].More = f.Rows, f.More
		out[i].Differences = each(f.Differences, func(d engine.RowDifference) secondRow {
			d.Rung, d.Libovsdb = each(d.Rung, itself), each(d.Libovsdb, itself)
			return secondRow(d)
		})
		ans.no = ans.no || len(f.Differences)+f.More > 0
	}
	ans.value = struct {
		Answer       any         `json:"answer"`
		SecondReader []secondOut `json:"second_reader"`
	}{ans.value, out}
	text, below := ans.text, secondText(out)
	ans.text = func(wide bool) string { return text(wide) + "\n" + below }
	if a.flags.output == nbctlForm {
		fmt.Fprint(a.err, below)
	}
}

func secondText(zones []secondOut) string {
	var b strings.Builder
	rows, same := 0, 0 // of zones that both read alike
	for _, z := range zones {
		differing := z.differing()
		switch {
		case z.Error != "":
			fmt.Fprintf(&b, "second reader: zone %s not read: %s\n", z.Zone, z.Error)
		case differing > 0:
			fmt.Fprintf(&b, "second reader: zone %s: %s differ from what Rung reads\n", z.Zone, words.Count(differing, "row"))
			for _, d := range z.Differences {
				fmt.Fprintf(&b, "  %s\n", d.text())
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

// differing is how many rows differ.
func (z *secondOut) differing() int {
	rows := map[string]bool{}
	for _, d := range z.Differences {
		rows[d.Table+" "+d.UUID] = true
	}
	return len(rows) + z.More
}

func (d *secondRow) text() string {
	at := d.Table + " " + d.UUID
	if d.Name != "" {
		at += " (" + d.Name + ")"
	}
	list := func(of []string, more int) string {
		text := strings.Join(of, ", ")
		if more > 0 {
			text += fmt.Sprintf(" and %d more", more)
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

// itself is for lists that must not be null in JSON.
func itself(s string) string { return s }

package show

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/words"
	"rung/pages/page"
	"rung/revision"
	"rung/revision/omitted"
	"rung/revision/policies"
)

// readyOut is what zones' controllers reported of one policy. It is a report, never
// proof: state_by_rows of each zone is what holds.
type readyOut struct {
	Policy string `json:"policy"`
	Zones  int    `json:"zones"`
	// Ready, NotReady and NoReport add up to Zones; Gone are reports of nodes that
	// are not there any more, Disagree those that the rows speak against.
	Ready    int            `json:"ready"`
	NotReady int            `json:"not_ready"`
	NoReport int            `json:"no_report"`
	Gone     int            `json:"gone"`
	Disagree int            `json:"rows_disagree"`
	Oldest   string         `json:"oldest,omitempty"`
	Newest   string         `json:"newest,omitempty"`
	Failures []failureOut   `json:"failures"`
	Reports  []zoneReadyOut `json:"reports"`
}

type failureOut struct {
	Message string   `json:"message"`
	Zones   []string `json:"zones"`
}

type zoneReadyOut struct {
	Zone     string               `json:"zone"`
	Status   policies.ReadyStatus `json:"status"`
	Reason   string               `json:"reason,omitempty"`
	Message  string               `json:"message,omitempty"`
	At       string               `json:"at,omitempty"`
	Rows     model.PolicyState    `json:"state_by_rows"`
	Disagree string               `json:"rows_disagree,omitempty"`
}

// reportTime is how long Rung's own reconcilers have to report.
const reportTime = 2 * time.Second

// conditionsQuery is that of rung zones --conditions, the twin of the view ready.
func conditionsQuery() command.Query {
	return command.Query{Zones: true,
		First: func(ctx context.Context, e *engine.Engine) {
			ctx, cancel := context.WithTimeout(ctx, reportTime)
			defer cancel()
			_ = e.Wait(ctx, reported) // what did not report by then has no report
		},
		Answer: func(_ context.Context, e *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			out := page.Each(policies.FindReady(r, e.Now()), describeReady)
			return &command.Answer{Value: out, Text: func(wide bool) string { return readyText(out, wide) }, NotConsidered: omitted.Rows(r, r.Zones)}, nil
		}}
}

func describeReady(p policies.PolicyReady) readyOut {
	return readyOut{Policy: p.Policy.Label(), Zones: p.Zones, Ready: p.Ready, NotReady: p.Failing, NoReport: p.Silent,
		Gone: p.Gone, Disagree: p.Against, Oldest: page.StampText(p.Oldest), Newest: page.StampText(p.Newest),
		Failures: page.Each(p.Failures, func(f policies.ReadyMessage) failureOut {
			return failureOut{Message: f.Text, Zones: f.Zones}
		}),
		Reports: page.Each(p.Reports, func(z policies.ZoneReady) zoneReadyOut {
			return zoneReadyOut{Zone: z.Zone, Status: z.Status, Reason: z.Reason, Message: z.Message, At: page.StampText(z.At),
				Rows: z.Rows, Disagree: z.Against}
		})}
}

// readyText is a line per policy, wide also one per zone.
func readyText(policies []readyOut, wide bool) string {
	t := &command.TextTable{Head: []string{"POLICY", "READY", "NOT READY", "NO REPORT", "GONE", "ROWS DISAGREE", "OLDEST", "NEWEST",
		"FAILURES"}}
	if wide {
		t.Head = []string{"POLICY", "ZONE", "REPORTED", "AT", "STATE BY ROWS", "REASON", "MESSAGE"}
	}
	for _, p := range policies {
		if !wide {
			t.Add(p.Policy, fmt.Sprintf("%d/%d", p.Ready, p.Zones), strconv.Itoa(p.NotReady), strconv.Itoa(p.NoReport),
				strconv.Itoa(p.Gone), strconv.Itoa(p.Disagree), cmp.Or(p.Oldest, "–"), cmp.Or(p.Newest, "–"),
				failureText(p.Failures))
			continue
		}
		for _, z := range p.Reports {
			message := z.Message
			if z.Disagree != "" {
				message = strings.TrimSuffix("rows disagree: "+z.Disagree+"; "+message, "; ")
			}
			t.Add(p.Policy, z.Zone, string(z.Status), cmp.Or(z.At, "–"), string(z.Rows), cmp.Or(z.Reason, "–"), message)
		}
	}
	return t.String()
}

// differShown is how many zones are named for a failure.
const differShown = 3

// failureText tells equal messages once, with at most a few of the zones.
func failureText(failures []failureOut) string {
	var parts []string
	for _, f := range failures {
		parts = append(parts, words.Cut(f.Zones, ", ", differShown)+": "+f.Message)
	}
	return strings.Join(parts, "; ")
}

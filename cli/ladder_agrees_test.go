package cli

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"rung/cli/command"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/revision"
	"rung/test/uitest"
	"rung/ui/nav"
)

// cells cuts a line where the titles of a head begin; the last cell has the rest.
func cells(head, line string, titles ...string) map[string]string {
	type column struct {
		title string
		at    int
	}
	var columns []column
	for _, title := range titles {
		if i := strings.Index(head, title); i >= 0 {
			columns = append(columns, column{title, ansi.StringWidth(head[:i])})
		}
	}
	out := map[string]string{}
	for i, c := range columns {
		end := ansi.StringWidth(line)
		if i+1 < len(columns) {
			end = columns[i+1].at
		}
		if c.title == "PRIO" && !strings.HasPrefix(head, "TIER") { // at the right end on the screen
			c.at = 0
		}
		out[c.title] = strings.Trim(ansi.Cut(line, c.at, end), " ▸")
	}
	return out
}

// foreignLine is a line of live rows on the screen.
var foreignLine = regexp.MustCompile(`^[▸ ]*(\d+) ◦ (?:rows Rung does not compile: |leftover rows: )?(.*?)  (\d.*?)  [\d,]+ rows? in (\d+/\d+) zones`)

// screenLines are the lines of the screen's ladder that decide: tier, priority, what it
// is, rules or rows by action, and zones of rows without a policy.
func screenLines(frame string) (out []string) {
	tier, head := "", ""
	for _, line := range strings.Split(frame, "\n") {
		switch {
		case strings.Contains(line, "PRIO POLICY"):
			head = line
		case strings.Contains(line, "── tier "):
			_, rest, _ := strings.Cut(line, "── tier ")
			tier = rest[:1]
		case strings.Contains(line, "── not read"):
			return out
		case tier == "":
		case foreignLine.MatchString(line):
			m := foreignLine.FindStringSubmatch(line)
			out = append(out, strings.Join([]string{tier, m[1], m[2], m[3], m[4]}, " | "))
		default:
			c := cells(head, line, "PRIO", "POLICY", "SUBJECT", "RULES", "PODS", "ACLS", "LOG")
			name, ok := "", false
			for _, sign := range []string{"─ ", "┌ ", "├ ", "└ ", "✗ "} {
				if rest, found := strings.CutPrefix(c["POLICY"], sign); found {
					name, ok = rest, true
				}
			}
			if ok {
				out = append(out, strings.Join([]string{tier, c["PRIO"], name + " " + c["SUBJECT"], c["RULES"]}, " | "))
			}
		}
	}
	return out
}

// shortNames are how the screen names what the table names in full.
var shortNames = []struct {
	full *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`^NP [^/]*/`), "NP "},
	{regexp.MustCompile(`^EF ([^/]*)/.*`), "EF $1"},
	{regexp.MustCompile(`^default deny of .*, `), "deny "},
	{regexp.MustCompile(`^hairpin rows`), "hairpin"},
	{regexp.MustCompile(`^rows of node `), ""},
	{regexp.MustCompile(`^multicast of `), "multicast "},
	{regexp.MustCompile(`^multicast, cluster: default deny`), "deny multicast"},
	{regexp.MustCompile(`^multicast, cluster: between nodes`), "node multicast"},
}

func nameOnScreen(full string) string {
	for _, s := range shortNames {
		full = s.full.ReplaceAllString(full, s.name)
	}
	return full
}

// tableLines are those of the command's table.
func linesOfTable(text string, stage model.Stage) (out []string) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for _, line := range lines[1:] {
		c := cells(lines[0], line, "TIER", "PRIO", "POLICY", "SUBJECT", "INGRESS", "EGRESS", "PODS", "ACLS", "LOG", "ZONES", "STATE")
		does := c["EGRESS"]
		if stage == model.StageToLport && c["INGRESS"] != "–" && c["INGRESS"] != "" {
			does = c["INGRESS"]
		}
		if c["TIER"] == "" { // not read
			continue
		}
		prio, _, _ := strings.Cut(c["PRIO"], "–")
		name := nameOnScreen(c["POLICY"]) + " " + c["SUBJECT"]
		if rest, ok := strings.CutPrefix(c["POLICY"], "◦ "); ok {
			name, does = rest, does+" | "+c["ZONES"]
		}
		out = append(out, strings.Join([]string{c["TIER"], prio, name, does}, " | "))
	}
	return out
}

// jsonLines puts the objects and rows of the JSON in order as a script does: by OVN's
// priorities, objects first.
func jsonLines(t *testing.T, value any, stage model.Stage) (out []string) {
	t.Helper()
	raw, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tiers []struct {
			Tier  int
			Rungs []struct {
				Priority int
				Details  []struct{ Kind, Name string }
			}
			Units []struct {
				Kind            model.Kind
				Namespace, Name string
				Stages          []struct {
					Stage model.Stage
					First int `json:"ovn_priority"`
				}
			}
		}
		Rows []struct {
			Tier  int
			Stage model.Stage
			First int `json:"ovn_priority"`
			Owner string
		}
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	type line struct {
		top  int
		text string
	}
	for _, tier := range got.Tiers {
		var lines []line
		for _, r := range tier.Rungs {
			for _, p := range r.Details {
				top, prio := 30000-100*r.Priority, strconv.Itoa(r.Priority)
				if p.Kind == string(model.KindBANP) {
					top, prio = 1750, ""
				}
				lines = append(lines, line{top, fmt.Sprint(tier.Tier, " | ", prio, " | ", p.Name)})
			}
		}
		for _, u := range tier.Units {
			k := model.Key{Kind: u.Kind, Namespace: u.Namespace, Name: u.Name}
			for _, s := range u.Stages {
				if s.Stage != stage {
					t.Errorf("%s is of %s", k, s.Stage)
				}
				lines = append(lines, line{s.First, fmt.Sprint(tier.Tier, " | ", s.First, " | ", nameOnScreen(k.Label()))})
			}
		}
		for _, g := range got.Rows {
			if g.Tier == tier.Tier && g.Stage == stage {
				lines = append(lines, line{g.First, fmt.Sprint(g.Tier, " | ", g.First, " | ", g.Owner)})
			}
		}
		slices.SortStableFunc(lines, func(a, b line) int { return b.top - a.top })
		for _, l := range lines {
			out = append(out, l.text)
		}
	}
	return out
}

// foreign are ACLs of others: of nobody, of owners that Rung does not know, of an older
// form, of policies that are gone, in any tier, stage and zone.
func foreign(r *rand.Rand) *nb.ACL {
	priorities := []int{0, 1, 500, 999, 1000, 1001, 1002, 1005, 1010, 1011, 1012, 1013, 1749, 1750, 1751, 5000, 9997, 9999, 10000, 10001, 18000, 25999, 26000,
		26001, 26550, 29000, 30000, 32767}
	a := &nb.ACL{Tier: r.IntN(4), Priority: priorities[r.IntN(len(priorities))], Match: fmt.Sprintf("ip4.src == 10.0.0.%d", r.IntN(4)),
		Direction: []string{nb.ToLport, nb.FromLport}[r.IntN(2)],
		Action:    []string{nb.ActionAllow, nb.ActionAllowRelated, nb.ActionDrop, nb.ActionReject, nb.ActionPass}[r.IntN(5)]}
	if r.IntN(3) == 0 {
		a.Priority = r.IntN(32768)
	}
	if a.Direction == nb.FromLport && r.IntN(3) > 0 {
		a.Options = map[string]string{nb.OptAfterLB: "true"}
	}
	name, direction := nb.IDPair{Key: nb.KeyName, Value: []string{"bees", "wasps"}[r.IntN(2)]}, []string{"Ingress", "Egress"}[r.IntN(2)]
	switch r.IntN(5) {
	case 0:
		a.ExternalIDs = nb.IDs("lab", "Honeypot", name)
	case 1:
		a.ExternalIDs = nb.IDs(nb.DefaultController, nb.OwnerANP, name, nb.IDPair{Key: nb.KeyDirection, Value: direction},
			nb.IDPair{Key: nb.KeyGressIndex, Value: strconv.Itoa(r.IntN(3))}, nb.IDPair{Key: nb.KeyProtocol, Value: "None"})
	case 2:
		a.ExternalIDs = nb.IDs("network-policy-controller", nb.OwnerANP, name, nb.IDPair{Key: nb.KeyDirection, Value: "ANP" + direction},
			nb.IDPair{Key: nb.KeyPriority, Value: strconv.Itoa(a.Priority)})
	case 3:
		a.ExternalIDs = nb.IDs(nb.DefaultController, nb.OwnerUDNIsolation, name, nb.IDPair{Key: nb.KeyDirection, Value: direction})
	}
	return a
}

// What decides stands in the same order on the screen, in the table and in JSON, whatever
// rows others have put between the policies.
func TestLadderAgreesWithScreen(t *testing.T) {
	base := uitest.DemoFacts(t)
	uitest.AddUnits(base)
	idle := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindEF, Namespace: "green", Name: "default"}}, Tier: model.TierNetwork,
		Subject: model.Subject{Namespace: "green", Pods: model.SelectEverything(), AllPods: true}}
	base.Cluster, _ = base.Cluster.Upsert([]model.Object{idle}, nil)
	s := uitest.OpenScreen(t, base, nav.NewPage(nav.Ladder))
	s.Resize(220, 150)
	for !strings.Contains(s.Line("▸"), "tier 2") {
		s.Press("j")
	}
	s.Press("enter")
	stage := model.Stage("")
	check := func(t *testing.T, want model.Stage, acls map[string][]*nb.ACL) {
		t.Helper()
		facts := *base
		facts.Zones = slices.Clone(base.Zones)
		for _, z := range base.Zones {
			uitest.AddRows(&facts, z.Name, acls[z.Name]...)
		}
		base.Number++
		facts.Number = base.Number
		s.Console.Set(&facts)
		s.Refresh()
		for stage != want {
			stage = stage.NextStage()
			s.Press("s")
		}
		answer := ladderAnswer((&command.App{}), revision.New(facts, nil), stage, &Selection{}, uitest.Now)
		screen := screenLines(s.PlainFrame())
		if diff := cmp.Diff(linesOfTable(command.PlainText(answer.Text(false)), stage), screen); diff != "" {
			t.Errorf("%s: table and screen (-table +screen):\n%s", stage, diff)
		}
		var objects []string // without what decides nothing
		for _, line := range screen {
			fields := strings.Split(line, " | ")
			if fields[0] == "2" && fields[1] == "" {
				continue
			}
			name, _, _ := strings.Cut(fields[2], " ns: ")
			name, _, _ = strings.Cut(name, " pods: ")
			objects = append(objects, strings.Join([]string{fields[0], fields[1], strings.TrimSpace(name)}, " | "))
		}
		if diff := cmp.Diff(jsonLines(t, answer.Value, stage), objects); diff != "" {
			t.Errorf("%s: JSON and screen (-json +screen):\n%s", stage, diff)
		}
	}

	drop := func(priority int, stage model.Stage) *nb.ACL {
		a := &nb.ACL{Tier: model.TierNetwork, Priority: priority, Direction: nb.ToLport, Action: nb.ActionDrop, Match: "ip4"}
		if stage != model.StageToLport {
			a.Direction, a.Options = nb.FromLport, map[string]string{nb.OptAfterLB: "true"}
		}
		return a
	}
	for name, c := range map[string]struct {
		stage    model.Stage
		priority int
	}{
		"a drop at 1005 overrides the NetworkPolicies at 1001": {model.StageToLport, 1005},
		"and those for egress":                                 {model.StageAfterLB, 1005},
		"at 1001 it is one of them":                            {model.StageToLport, 1001},
		"at 1000 it is with the default denies":                {model.StageToLport, 1000},
		"at 999 nothing decides after it":                      {model.StageAfterLB, 999},
	} {
		t.Run(name, func(t *testing.T) {
			check(t, c.stage, map[string][]*nb.ACL{base.Zones[0].Name: {drop(c.priority, c.stage)}})
		})
	}

	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(24, seed))
		acls := map[string][]*nb.ACL{}
		for range 1 + r.IntN(6) {
			a := foreign(r)
			for _, z := range base.Zones {
				if r.IntN(2) == 0 {
					acls[z.Name] = append(acls[z.Name], a)
				}
			}
		}
		check(t, model.PipelineStages()[r.IntN(3)], acls)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

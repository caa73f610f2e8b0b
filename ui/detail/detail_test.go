package detail_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/test/uitest"
	"rung/themes"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/widget"
)

func styles() *themes.StyleSet { return themes.BuiltinThemes().FindStyles("mono", true) }

func demo(t *testing.T) *revision.Revision { return revision.New(*uitest.DemoFacts(t), nil) }

// draw is a sheet as text, with where each line leads.
func draw(s *detail.Sheet) []string {
	var out []string
	for _, l := range s.Lines {
		text := l.Text
		if l.Make != nil {
			text = l.Make()
		}
		line := strings.TrimRight(text.String(), " ")
		if !l.To.IsNone() {
			line += " ⏎ " + l.To.Title()
		}
		out = append(out, line)
	}
	return out
}

func explain(t *testing.T, match string) []string {
	t.Helper()
	r := demo(t)
	s := &detail.Sheet{St: styles(), W: 120}
	x := &detail.MatchExplainer{Rev: r, Zone: r.Zone("ovn-worker"), First: 3}
	x.AddMatch(s, "m", match)
	return draw(s)
}

func TestExplainForeignMatches(t *testing.T) {
	for _, tc := range []struct {
		match string
		want  []string
	}{
		{"ip4.src == 10.244.1.8", []string{"  ip4.src == 10.244.1.8                        source address: pod blue/web-g0 ⏎ pod blue/web-g0"}},
		{"ip4.dst == 172.18.0.3", []string{"  ip4.dst == 172.18.0.3                        destination address: node ovn-worker, pod kube-system/kube-proxy-8l5xv (host network) ⏎ rows ovn-worker"}},
		{"(ip4.src == 10.244.1.8 || ip4.src == 10.0.0.0/8) && udp && 53<=udp.dst<=60", []string{
			"  ip4.src == 10.244.1.8 || ip4.src == 10.0.0.0/8  source address, one of",
			"     ├ 10.244.1.8                              pod blue/web-g0 ⏎ pod blue/web-g0",
			"     ├ 10.0.0.0/8                              network",
			"  udp                                          protocol udp",
			"  53<=udp.dst<=60                              destination port 53–60"}},
		{"(ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14)", []string{
			"  ip4.dst == 0.0.0.0/0 && ip4.dst != 10.128.0.0/14  destination address, one of",
			"     ├ 0.0.0.0/0                               every IPv4 address",
			"     ├ but not 10.128.0.0/14"}},
		{`inport == "blue_web-g0"`, []string{
			`  inport == "blue_web-g0"                      one of these logical ports`,
			"     ├ blue_web-g0                             pod blue/web-g0  10.244.1.8 ⏎ pod blue/web-g0"}},
		{"inport == @gone && ip4.src == $gone", []string{
			"  inport == @gone                              ≠ port group is missing here: nothing matches",
			"  ip4.src == $gone                             ≠ address set is missing here: nothing matches"}},
		{"(arp || nd) && ct.est && 1", []string{
			"  arp || nd                                    protocol arp or nd",
			"  ct.est                                       a condition that Rung does not explain",
			"  1                                            a condition that Rung does not explain"}},
		{"", []string{"  ▲ The match is empty."}},
		{"inport ==", nil},
	} {
		got := explain(t, tc.match)
		if tc.want == nil {
			if all := strings.Join(got, "\n"); !strings.Contains(all, "cannot parse this match") || !strings.Contains(all, tc.match) {
				t.Errorf("%s:\n%s", tc.match, all)
			}
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.match, diff)
		}
	}
}

// Whatever a match says, every line fits and has an identity of its own.
func TestExplainAnyWidth(t *testing.T) {
	r := demo(t)
	for _, z := range append([]*model.ZoneState{nil}, r.Zones...) {
		for p := range r.Cluster.Policies(model.KindANP) {
			for _, a := range r.ACLs(p.Key, "") {
				for _, w := range []int{1, 20, 79, 120, 300} {
					s := &detail.Sheet{St: styles(), W: w}
					x := &detail.MatchExplainer{Rev: r, Zone: z, Policy: p.Key, First: 4}
					x.AddMatch(s, "m", a.Match)
					ids := map[string]bool{}
					for _, l := range s.Lines {
						if ids[l.ID] {
							t.Fatalf("%s at %d: the id %q is there twice", a.ID(), w, l.ID)
						}
						ids[l.ID] = true
					}
				}
			}
		}
	}
}

func TestBehind(t *testing.T) {
	r := demo(t)
	for addr, want := range map[string]string{
		"10.244.1.8":     "pod blue/web-g0",
		"10.244.1.8/32":  "pod blue/web-g0",
		"192.0.2.1":      "unknown address",
		"192.0.2.1/32":   "unknown address",
		"10.0.0.0/8":     "network",
		"0.0.0.0/0":      "every IPv4 address",
		"::/0":           "every IPv6 address",
		"not an address": "unknown address",
	} {
		if got, _ := detail.AddressOwners(r, addr); got != want {
			t.Errorf("%s: %q, want %q", addr, got, want)
		}
	}
	if _, to := detail.AddressOwners(r, "172.18.0.4"); to != (nav.Page{Kind: nav.Rows, Zone: "ovn-worker2"}) {
		t.Errorf("a node leads to %+v", to)
	}
}

func TestCommands(t *testing.T) {
	unix := &model.ZoneState{Endpoint: "unix:/run/rung/w.sock"}
	dump := &model.ZoneState{Endpoint: "file:dump.db"}
	for got, want := range map[string]string{
		detail.ListCommand(nil, "ACL", "u-1"):              "ovn-nbctl list ACL u-1",
		detail.ListCommand(unix, "ACL", "u-1"):             "ovn-nbctl --db=unix:/run/rung/w.sock list ACL u-1",
		detail.FindCommand(dump, "ACL", nb.KeyID, "a:b"):   `ovn-nbctl find ACL 'external_ids:"k8s.ovn.org/id"="a:b"'`,
		detail.FindCommand(nil, "ACL", "direction", "x"):   `ovn-nbctl find ACL 'external_ids:"direction"=x'`,
		detail.FindNamed(nil, nb.TablePort, "blue_web-g0"): "ovn-nbctl find Logical_Switch_Port name=blue_web-g0",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestWords(t *testing.T) {
	for got, want := range map[string]string{
		words.Count(0, "pod"):                       "0 pods",
		words.Count(1, "policy"):                    "1 policy",
		words.Count(12345, "policy"):                "12,345 policies",
		words.Count(2, "address"):                   "2 addresses",
		words.Thousands(999):                        "999",
		words.Thousands(1000000):                    "1,000,000",
		words.Thousands(-1000):                      "-1,000",
		words.List([]string{"a"}, 3):                "a",
		words.List([]string{"a", "b", "c"}, 3):      "a, b and c",
		words.List([]string{"a", "b", "c", "d"}, 2): "a, b and 2 more",
		words.List(nil, 2):                          "",
		detail.ColumnsDiffer(1):                     "1 column differs",
		detail.ColumnsDiffer(3):                     "3 columns differ",
		detail.SinceText(time.Time{}, uitest.Now):   "some time",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestPaneDrawsOnlyWhatIsSeen(t *testing.T) {
	s := &detail.Sheet{St: styles(), W: 40}
	made := 0
	for i := range 100000 {
		s.AddLazy(fmt.Sprint(i), func() widget.Line { made++; return widget.PlainLine(fmt.Sprint("line ", i)) }, nav.Page{})
	}
	p := detail.NewPane()
	p.SetItems(s.Lines)
	p.SelectID("70000")
	frame := p.Render(styles(), 40, 20)
	if !strings.Contains(frame, "▸ line 70000") || made > 100 {
		t.Errorf("%d lines were made:\n%s", made, frame)
	}
}

// TestLiveACLsOfAHolder: a group that is not the policy's own holds rows of others,
// too.
func TestLiveACLsOfAHolder(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	uitest.AddHolders(p)
	ef := model.Key{Kind: model.KindEF, Namespace: "yellow", Name: "default"}
	z := p.Zones[1]
	group := *z.DB.PortGroupByName(revision.GroupName(revision.New(*p, nil), ef))
	other := &nb.ACL{UUID: uitest.UUID("multicast"), Name: "x", ExternalIDs: nb.IDs(nb.DefaultController, nb.OwnerMulticastNS,
		nb.IDPair{Key: nb.KeyName, Value: "yellow"}, nb.IDPair{Key: nb.KeyDirection, Value: "Egress"})}
	group.ACLs = append(group.ACLs[:len(group.ACLs):len(group.ACLs)], other.UUID)
	db := z.DB.Apply([]nb.RowChange{{New: other}, {Old: z.DB.PortGroupByName(group.Name), New: &group}})
	var got []string
	for _, a := range revision.LiveACLs(revision.New(*p, nil), db, ef) {
		got = append(got, detail.ShortID(a.ID(), ef))
	}
	if diff := cmp.Diff([]string{"rule 0", "rule 1", "rule 2", "rule 3"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestRowsFilter: what finds a unit's rows finds all of them and no others.
func TestRowsFilter(t *testing.T) {
	p := uitest.DemoFacts(t)
	uitest.AddUnits(p)
	r := revision.New(*p, nil)
	for _, k := range r.Units() {
		f := widget.ParseFilter(detail.RowsFilter(k))
		for _, other := range r.Units() {
			for _, a := range r.ACLs(other, "") {
				if label := revision.OwnerName(a.ExternalIDs); f.MatchesText(label+" ") != (k == other) {
					t.Errorf("%q of %s finds %q of %s: %v", detail.RowsFilter(k), k, label, other, k != other)
				}
			}
		}
	}
}

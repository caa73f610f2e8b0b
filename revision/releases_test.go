package revision

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rung/compiler"
	"rung/model"
	"rung/model/ovn/dialect"
	"rung/model/ovn/match"
	"rung/model/ovn/nb"
)

// rowsWritten are the rows that OVN-Kubernetes writes with some options, read as a zone's.
func rowsWritten(t *testing.T, o compiler.Options) *dialect.Dialect {
	t.Helper()
	o.IPv4, o.Defaults = true, compiler.On
	p := &model.Policy{Meta: model.Meta{Key: model.Key{Kind: model.KindNP, Namespace: "blue", Name: "web"}}, Tier: model.TierNetwork, IsolatesIngress: true,
		Ingress: []model.Rule{{Direction: model.Ingress, Peers: []model.Peer{{Kind: model.PeerNetworks, Networks: []string{"10.0.0.0/8", "192.0.2.0/24"}, Except: []string{"10.1.0.0/16"}}}}}}
	cluster, _ := (*model.Cluster)(nil).Upsert([]model.Object{&model.Namespace{Meta: model.Meta{Key: model.Key{Kind: model.KindNamespace, Name: "blue"}}}, p}, nil)
	d := compiler.Compile(cluster, o)
	var rows []nb.RowChange
	for u := range d.Policies() {
		r := d.RowsOfUnit(u.Key, "", nil)
		for _, a := range r.ACLs {
			a.UUID = fmt.Sprint("acl", len(rows))
			rows = append(rows, nb.RowChange{New: a})
		}
	}
	found := dialect.InferDialect((*nb.DB)(nil).Apply(rows), dialect.ObjectHints{})
	return &found
}

// Rows are compiled in the form that most zones have, and a zone with the other form is not compared.
func TestReleaseVote(t *testing.T) {
	merged, split := compiler.Options{}, compiler.Options{AlternateForms: dialect.Set(0).With(dialect.MergedIPBlocks)}
	moved := compiler.Options{HairpinFrom4: "169.254.0.5"}
	for _, tt := range []struct {
		name    string
		zones   []compiler.Options
		others  dialect.Set
		hairpin string
		differs string // zone: kinds
	}{
		{name: "today's", zones: []compiler.Options{merged, merged}},
		{name: "an earlier release's", zones: []compiler.Options{split, split}, others: split.AlternateForms},
		{name: "in the middle of an upgrade", zones: []compiler.Options{split, merged, merged}, differs: "0: NetworkPolicy"},
		{name: "at its beginning", zones: []compiler.Options{split, split, merged}, others: split.AlternateForms, differs: "2: NetworkPolicy"},
		{name: "other masquerade subnets", zones: []compiler.Options{moved, moved}, hairpin: "169.254.0.5"},
		{name: "one zone with others: its rows differ", zones: []compiler.Options{moved, merged, merged}, hairpin: match.Hairpin4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := NewDialectView(&Flags{MaxPriority: model.MaxPriority}, true, false)
			for i, o := range tt.zones {
				v = v.WithRows(fmt.Sprint(i), rowsWritten(t, o))
			}
			v = v.Recounted(func(string) bool { return true })
			o := v.compilerOptions()
			if o.AlternateForms != tt.others || o.HairpinFrom4 != tt.hairpin && tt.hairpin != "" {
				t.Errorf("others %b, hairpin %q; want %b, %q", o.AlternateForms, o.HairpinFrom4, tt.others, tt.hairpin)
			}
			v.options = o
			var differs []string
			for _, zone := range v.ZoneNames() {
				for kind := range v.Deviations(v.RowDialect(zone)) {
					differs = append(differs, zone+": "+string(kind))
				}
			}
			slices.Sort(differs)
			if diff := cmp.Diff(tt.differs, strings.Join(differs, ", ")); diff != "" {
				t.Errorf("zones that are not compared (-want +got):\n%s", diff)
			}
		})
	}
}

// Rows say from when to when their release is.
func TestReleaseSpan(t *testing.T) {
	lines := func(change map[string]dialect.LineRows) []dialect.LineRows {
		out := make([]dialect.LineRows, len(dialect.Lines))
		for name, rows := range change {
			out[dialect.Index(name)] = rows
		}
		return out
	}
	today, other, both := dialect.LineRows{Today: 2}, dialect.LineRows{Other: 2}, dialect.LineRows{Today: 1, Other: 1}
	for _, tt := range []struct {
		name string
		rows map[string]dialect.LineRows
		want string
	}{
		{"no rows", nil, ""},
		{"between two changes", map[string]dialect.LineRows{"isolation-ids": today, dialect.MergedIPBlocks: other, "advertised-drop": other}, "2025-08 or later, before 2026-02"},
		{"since a change", map[string]dialect.LineRows{dialect.MergedIPBlocks: today, "advertised-drop": today}, "2026-07 or later"},
		{"in the middle of an upgrade", map[string]dialect.LineRows{dialect.MergedIPBlocks: both}, ""},
		{"a line without a month", map[string]dialect.LineRows{"netpol-ids": other}, ""},
	} {
		if got := spanClaim(&dialect.Dialect{Releases: lines(tt.rows)}).value; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

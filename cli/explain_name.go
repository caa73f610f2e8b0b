package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"rung/cli/command"
	"rung/engine"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
)

// namedOut is the JSON of what `rung explain TEXT` says about a name.
type namedOut struct {
	Name    string   `json:"name"`
	Kind    string   `json:"kind"` // finding, ACL, Port_Group, Address_Set, or empty if nothing has the name
	Meaning string   `json:"meaning"`
	Remedy  string   `json:"remedy,omitempty"`
	ID      string   `json:"id,omitempty"`
	Row     string   `json:"row,omitempty"`
	Zones   []string `json:"zones,omitempty"`
}

// Names in a text: hashed names of port groups and address sets, and ids.
var (
	hashedNames = regexp.MustCompile(`\ba[0-9]{15,20}\b`)
	idNames     = regexp.MustCompile(`[\w.-]+-network-controller:\w+:[^\s"',}]+`)
)

// isCode reports whether a text is the code of a finding.
func isCode(text string) bool {
	meaning, _ := revision.ExplainCode(text)
	return meaning != ""
}

// namesIn returns the names in a text that can be explained, each once, and the ACLs of pasted records.
func namesIn(text string) (names []string, pasted []*nb.ACL, err error) {
	text = strings.TrimSpace(text)
	if strings.HasPrefix(text, "_uuid") || strings.HasPrefix(text, "{") {
		var z *model.ZoneState
		z, err = engine.ParseRowLists(text)
		for row := range z.DB.OwnedRows() {
			if a, ok := row.(*nb.ACL); ok {
				pasted = append(pasted, a)
			} else {
				names = append(names, row.RowName())
			}
		}
		if len(names)+len(pasted) > 0 {
			return names, pasted, err
		}
	}
	if isCode(text) || nb.IsUUID(text) {
		return []string{text}, nil, err
	}
	seen := map[string]bool{}
	for _, name := range append(idNames.FindAllString(text, -1), hashedNames.FindAllString(text, -1)...) {
		if !seen[name] {
			names = append(names, name)
		}
		seen[name] = true
	}
	return names, nil, err
}

// explainNames says what the names and ACLs in a text are.
func explainNames(ctx context.Context, a *command.App, text string, names []string, pasted []*nb.ACL) error {
	onlyCode := len(pasted) == 0 && len(names) == 1 && isCode(names[0]) // needs no cluster
	answer := func(r *revision.Revision) (*command.Answer, error) {
		var all []namedOut
		var unknown error
		rows := map[string][]*revision.NamedRow{}
		if !onlyCode {
			rows = revision.IndexRows(r)
		}
		for _, acl := range pasted {
			one := &revision.NamedRow{Row: acl}
			for _, found := range rows[cmp.Or(acl.ID(), acl.UUID)] {
				one.Zones, one.Compiled = append(one.Zones, found.Zones...), one.Compiled || found.Compiled
			}
			all = append(all, rowOut(r, acl.UUID, one))
		}
		for _, name := range names {
			if isCode(name) {
				meaning, remedy := revision.ExplainCode(name)
				all = append(all, namedOut{Name: name, Kind: "finding", Meaning: meaning, Remedy: remedy})
				continue
			}
			for _, found := range rows[name] {
				all = append(all, rowOut(r, name, found))
			}
			if len(rows[name]) == 0 {
				why := "no row read has this name, and no policy compiles to it: its object was deleted, or is not among the objects read"
				if len(r.Zones) == 0 {
					why = "no policy compiles to a row of this name, and no zone was read: --nb names its databases"
				}
				all = append(all, namedOut{Name: name, Meaning: why})
				unknown = errors.New("some names are unknown")
			}
		}
		out := func(bool) string {
			var b strings.Builder
			for _, x := range all {
				b.WriteString(x.text())
			}
			if strings.Contains(text, "expecting port group name") || strings.Contains(text, "expecting address set name") {
				b.WriteString("ovn-controller did not know the name: flows that use it are missing until the row reaches the node\n")
			}
			return b.String()
		}
		return &command.Answer{Value: all, Text: out, Err: errors.Join(unknown, command.UnreadZone(r.Zones))}, nil
	}
	if onlyCode {
		ans, err := answer(&revision.Revision{})
		return errors.Join(err, a.PrintAnswer(ans))
	}
	a.Flags.RowsOnly = true
	return a.AnswerQuery(ctx, false, command.Query{Zones: a.Flags.HasDatabases(ctx),
		Answer: func(_ context.Context, _ *engine.Engine, r *revision.Revision) (*command.Answer, error) {
			return answer(r)
		}})
}

// hasPolicies reports whether any policy was read.
func hasPolicies(r *revision.Revision) bool {
	for range r.Cluster.EveryPolicy() {
		return true
	}
	return false
}

// rowOut explains a row.
func rowOut(r *revision.Revision, name string, n *revision.NamedRow) namedOut {
	out := namedOut{Name: name, Kind: nb.TableName(n.Row), Meaning: n.Label(r), Zones: n.Zones}
	if id := n.Row.IDs()[nb.KeyID]; id != name {
		out.ID = id
	}
	switch row := n.Row.(type) {
	case *nb.ACL:
		out.Row = fmt.Sprintf("%s, tier %d, priority %d, %s, match %s", row.Stage(), row.Tier, row.Priority, row.Action, row.Match)
	case *nb.PortGroup:
		out.Row = words.Count(len(row.Ports), "port")
	case *nb.AddressSet:
		out.Row = words.Count(len(row.Addresses), "address")
	}
	switch {
	case len(n.Zones) > 0 && (n.Compiled || !hasPolicies(r)):
		out.Row += "; live in " + words.List(n.Zones, 4)
	case len(n.Zones) > 0:
		out.Row += "; live in " + words.List(n.Zones, 4) + ", but no policy read compiles to it"
	case n.Compiled:
		out.Row += "; compiled from the policies, not looked up in a zone"
	default:
		out.Row += "; not in a zone read, and no policy read compiles to it"
	}
	return out
}

func (x *namedOut) text() string {
	kind := words.Between("", strings.ToLower(strings.ReplaceAll(x.Kind, "_", " ")), " of ")
	switch x.Kind {
	case "ACL":
		kind = "ACL of "
	case "finding":
		kind = ""
	}
	s := x.Name + ": " + kind + x.Meaning + "\n"
	for _, more := range []string{x.Remedy, words.Between("id ", x.ID, ""), x.Row} {
		if more != "" {
			s += "  " + more + "\n"
		}
	}
	return s
}

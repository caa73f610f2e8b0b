package detail

import (
	"fmt"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/ui/view"
)

// nbctl begins an ovn-nbctl command for the zone's database where its address is
// one that ovn-nbctl can be given.
func nbctl(z *model.ZoneState) []string {
	words := []string{"ovn-nbctl"}
	if z != nil {
		for _, scheme := range []string{"unix:", "tcp:", "ssl:"} {
			if strings.HasPrefix(z.Endpoint, scheme) {
				return append(words, "--db="+z.Endpoint)
			}
		}
	}
	return words
}

// ListCommand shows one row by its UUID.
func ListCommand(z *model.ZoneState, table, uuid string) string {
	return model.ShellJoin(append(nbctl(z), "list", table, uuid)...)
}

// FindCommand shows the rows with these external_ids, pairs of key and value.
func FindCommand(z *model.ZoneState, table string, pairs ...string) string {
	words := append(nbctl(z), "find", table)
	for i := 0; i+1 < len(pairs); i += 2 {
		words = append(words, `external_ids:"`+pairs[i]+`"=`+nb.Atom(pairs[i+1]))
	}
	return model.ShellJoin(words...)
}

// FindNamed shows the row with that name.
func FindNamed(z *model.ZoneState, table, name string) string {
	return model.ShellJoin(append(nbctl(z), "find", table, "name="+nb.Atom(name))...)
}

// RowCopies are what can be copied of a row.
func RowCopies(z *model.ZoneState, r nb.Row) []view.Copy {
	var out []view.Copy
	id, uuid := r.IDs()[nb.KeyID], r.RowUUID()
	table := nb.TableOf(r)
	if a, ok := r.(*nb.ACL); ok {
		out = append(out, view.Copy{What: "match", Text: a.Match})
	}
	if name := rowName(r); name != "" {
		out = append(out, view.Copy{What: "name", Text: name})
	}
	if id != "" {
		out = append(out, view.Copy{What: "id", Text: id})
	}
	if uuid != "" {
		out = append(out, view.Copy{What: "UUID", Text: uuid}, view.Copy{What: "ovn-nbctl list command", Text: ListCommand(z, table, uuid)})
	}
	if id != "" {
		out = append(out, view.Copy{What: "ovn-nbctl find command", Text: FindCommand(z, table, nb.KeyID, id)})
	} else if name := rowName(r); name != "" {
		out = append(out, view.Copy{What: "ovn-nbctl find command", Text: FindNamed(z, table, name)})
	}
	var b strings.Builder
	for _, c := range nb.Columns(r) {
		fmt.Fprintf(&b, "%-20s: %s\n", c.Name, c.Text()) // as "ovn-nbctl list" prints it
	}
	return append(out, view.Copy{What: "record", Text: b.String()})
}

// rowName is the value of column name, empty where there is none.
func rowName(r nb.Row) string {
	for _, c := range nb.Columns(r) {
		if c.Name == "name" {
			switch s := c.Value.(type) {
			case string:
				return s
			case nb.Optional:
				return string(s)
			}
		}
	}
	return ""
}

package reconciler

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model"
	"rung/model/ovn/nb"
)

// Limits of the record of a transaction: command lines, members named in one line, ACLs
// made in one line.
const (
	maxCommands    = 20
	membersPerLine = 20
	aclsPerLine    = 8
)

// commands are ovn-nbctl command lines with the effect of the operations, ready
// for a shell. Of many only the first are written down and the rest counted.
func commands(ops []nb.Op) []string {
	c := &scribe{made: map[string]*nb.Op{}}
	for i := range ops {
		if ops[i].UUIDName != "" {
			c.made[ops[i].UUIDName] = &ops[i]
		}
	}
	for i := range ops {
		c.op(&ops[i])
	}
	if c.left > 0 {
		c.lines = append(c.lines, fmt.Sprintf("# and %d more commands", c.left))
	}
	return c.lines
}

type scribe struct {
	lines []string
	left  int
	made  map[string]*nb.Op // ACLs inserted under a name
}

// say writes a line down when there is room; only then it is made.
func (c *scribe) say(line func() string) {
	if len(c.lines) < maxCommands {
		c.lines = append(c.lines, "ovn-nbctl "+line())
	} else {
		c.left++
	}
}

func (c *scribe) op(op *nb.Op) {
	switch op.Kind {
	case nb.OpDelete:
		c.say(func() string { return "destroy " + op.Table + " " + model.ShellQuote(op.UUID) })
	case nb.OpUpdate:
		c.say(func() string { return "set " + op.Table + " " + model.ShellQuote(op.UUID) + columns(op.Row) })
	case nb.OpMutate:
		for _, m := range op.Mutations {
			verb := "remove"
			if m.Insert {
				verb = "add"
			}
			c.members(verb, op.Table, op.UUID, m.Column, m.Strings, atom)
			c.refs(verb, op.Table, op.UUID, m.Column, m.Refs)
			quote := func(k string) string { return pair(k, m.Pairs[k]) }
			c.members(verb, op.Table, op.UUID, m.Column, slices.Sorted(maps.Keys(m.Pairs)), quote)
		}
	case nb.OpInsert:
		if op.UUIDName != "" {
			return // written down with the group that holds it
		}
		row := maps.Clone(op.Row)
		addresses, _ := row["addresses"].([]string)
		acls, _ := row["acls"].([]nb.Ref)
		ports, _ := row["ports"].([]nb.Ref)
		for _, set := range []string{"addresses", "acls", "ports"} {
			delete(row, set)
		}
		// A port group and an address set can be called by their name.
		name, _ := op.Row["name"].(string)
		c.say(func() string { return "create " + op.Table + columns(row) })
		c.members("add", op.Table, name, "addresses", addresses, atom)
		c.refs("add", op.Table, name, "acls", acls)
		c.refs("add", op.Table, name, "ports", ports)
	}
}

// members writes members down, each as quote has it: only those for which there is
// room are quoted, of the millions of a first write.
func (c *scribe) members(verb, table, record, column string, values []string, quote func(string) string) {
	for part := range slices.Chunk(values, membersPerLine) {
		c.say(func() string {
			line := verb + " " + table + " " + model.ShellQuote(record) + " " + column
			for _, v := range part {
				line += " " + quote(v)
			}
			return line
		})
	}
}

// refs writes references down; rows made in the same transaction are made in
// the same command, or the server would collect them at once.
func (c *scribe) refs(verb, table, record, column string, refs []nb.Ref) {
	var uuids []string
	var named []nb.Ref
	for _, r := range refs {
		if r.Name != "" {
			named = append(named, r)
		} else {
			uuids = append(uuids, r.UUID)
		}
	}
	c.members(verb, table, record, column, uuids, model.ShellQuote)
	for part := range slices.Chunk(named, aclsPerLine) {
		c.say(func() string {
			var b, ids strings.Builder
			for _, r := range part {
				if op := c.made[r.Name]; op != nil {
					fmt.Fprintf(&b, "--id=@%s create %s%s -- ", r.Name, op.Table, columns(op.Row))
				}
				ids.WriteString(" @" + r.Name)
			}
			return b.String() + verb + " " + table + " " + model.ShellQuote(record) + " " + column + ids.String()
		})
	}
}

// columns is " column=value …" by name, each quoted for the shell.
func columns(row map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(row)) {
		b.WriteString(" " + name + "=" + model.ShellQuote(ovsValue(row[name])))
	}
	return b.String()
}

func pair(k, v string) string { return model.ShellQuote(strconv.Quote(k) + "=" + strconv.Quote(v)) }

func atom(s string) string { return model.ShellQuote(strconv.Quote(s)) }

// ovsValue is a value as ovn-nbctl reads it.
func ovsValue(v any) string {
	if v == nil {
		v = nb.Optional("")
	}
	return nb.Column{Value: v}.Text()
}

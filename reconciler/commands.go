package reconciler

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"rung/model/ovn/nb"
	"rung/model/words"
)

// Limits of a transaction's record: command lines, members per line, inserted ACLs per line.
const (
	maxCommands    = 20
	membersPerLine = 20
	aclsPerLine    = 8
)

// commandLines returns ovn-nbctl command lines, quoted for a shell, with the effect of the operations. Lines
// beyond the limit are only counted.
func commandLines(ops []nb.Op) []string {
	c := &commandWriter{insertedRows: map[string]*nb.Op{}}
	for i := range ops {
		if ops[i].UUIDName != "" {
			c.insertedRows[ops[i].UUIDName] = &ops[i]
		}
	}
	for i := range ops {
		c.writeOp(&ops[i])
	}
	if c.leftOut > 0 {
		c.lines = append(c.lines, fmt.Sprintf("# and %d more commands", c.leftOut))
	}
	return c.lines
}

type commandWriter struct {
	lines        []string
	leftOut      int
	insertedRows map[string]*nb.Op // ops that insert a row under a name
}

// writeLine adds a line, or only counts it once the limit is reached; then it does not call line.
func (c *commandWriter) writeLine(line func() string) {
	if len(c.lines) < maxCommands {
		c.lines = append(c.lines, "ovn-nbctl "+line())
	} else {
		c.leftOut++
	}
}

func (c *commandWriter) writeOp(op *nb.Op) {
	switch op.Kind {
	case nb.OpDelete:
		c.writeLine(func() string { return "destroy " + op.Table + " " + words.ShellQuote(op.UUID) })
	case nb.OpUpdate:
		c.writeLine(func() string { return "set " + op.Table + " " + words.ShellQuote(op.UUID) + columnsText(op.Row) })
	case nb.OpMutate:
		for _, m := range op.Mutations {
			verb := words.Choose(m.Insert, "add", "remove")
			c.writeMembers(verb, op.Table, op.UUID, m.Column, m.Strings, quotedAtom)
			c.writeRefs(verb, op.Table, op.UUID, m.Column, m.Refs)
			quote := func(k string) string { return words.ShellQuote(strconv.Quote(k) + "=" + strconv.Quote(m.Pairs[k])) }
			c.writeMembers(verb, op.Table, op.UUID, m.Column, slices.Sorted(maps.Keys(m.Pairs)), quote)
		}
	case nb.OpInsert:
		if op.UUIDName != "" {
			return // written with the group that holds it
		}
		row := maps.Clone(op.Row)
		addresses, _ := row["addresses"].([]string)
		acls, _ := row["acls"].([]nb.Ref)
		ports, _ := row["ports"].([]nb.Ref)
		for _, set := range []string{"addresses", "acls", "ports"} {
			delete(row, set)
		}
		// ovn-nbctl accepts the name of a port group or address set.
		name, _ := op.Row["name"].(string)
		c.writeLine(func() string { return "create " + op.Table + columnsText(row) })
		c.writeMembers("add", op.Table, name, "addresses", addresses, quotedAtom)
		c.writeRefs("add", op.Table, name, "acls", acls)
		c.writeRefs("add", op.Table, name, "ports", ports)
	}
}

// writeMembers writes members, quoted by quote. It quotes only the lines within the limit: a first write has
// millions of members.
func (c *commandWriter) writeMembers(verb, table, record, column string, values []string, quote func(string) string) {
	for part := range slices.Chunk(values, membersPerLine) {
		c.writeLine(func() string {
			line := verb + " " + table + " " + words.ShellQuote(record) + " " + column
			for _, v := range part {
				line += " " + quote(v)
			}
			return line
		})
	}
}

// writeRefs writes references. Rows of the same transaction are created in the same command; otherwise the
// server would collect them at once.
func (c *commandWriter) writeRefs(verb, table, record, column string, refs []nb.Ref) {
	var uuids []string
	var named []nb.Ref
	for _, r := range refs {
		if r.Name != "" {
			named = append(named, r)
		} else {
			uuids = append(uuids, r.UUID)
		}
	}
	c.writeMembers(verb, table, record, column, uuids, words.ShellQuote)
	for part := range slices.Chunk(named, aclsPerLine) {
		c.writeLine(func() string {
			var b, ids strings.Builder
			for _, r := range part {
				if op := c.insertedRows[r.Name]; op != nil {
					fmt.Fprintf(&b, "--id=@%s create %s%s -- ", r.Name, op.Table, columnsText(op.Row))
				}
				ids.WriteString(" @" + r.Name)
			}
			return b.String() + verb + " " + table + " " + words.ShellQuote(record) + " " + column + ids.String()
		})
	}
}

// columnsText returns " column=value …" by name, each quoted for the shell.
func columnsText(row map[string]any) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(row)) {
		value := cmp.Or(row[name], any(nb.Optional("")))
		b.WriteString(" " + name + "=" + words.ShellQuote(nb.Column{Value: value}.ListText()))
	}
	return b.String()
}

func quotedAtom(s string) string { return words.ShellQuote(strconv.Quote(s)) }

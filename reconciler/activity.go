package reconciler

import (
	"strings"
	"time"

	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
)

// activity says what operations of a transaction were for one policy.
func (w *worker) activity(k model.PolicyKey, ops []nb.Op, at time.Time, took time.Duration, failure string) model.Activity {
	return model.Activity{At: at, Took: took, Zone: w.cfg.Zone.Name(), Policy: k, Summary: summary(k, ops), Ops: len(ops),
		Commands: commands(ops), Error: failure, By: "reconciler"}
}

// counted are the things a summary counts, in the order it names them.
var counted = [...]string{"port group", "ACL", "address set", "address", "port"}

const (
	countGroup = iota
	countACL
	countSet
	countAddress
	countPort
)

var verbs = [...]string{"added", "updated", "removed"}

const (
	wasAdded = iota
	wasUpdated
	wasRemoved
)

// summary is "cluster-control: 12 ACLs updated, 3 addresses added".
func summary(k model.PolicyKey, ops []nb.Op) string {
	var n [len(counted)][len(verbs)]int
	table := map[string]int{nb.TablePortGroup: countGroup, nb.TableACL: countACL, nb.TableAddressSet: countSet}
	for i := range ops {
		op := &ops[i]
		what := table[op.Table]
		switch op.Kind {
		case nb.OpInsert:
			n[what][wasAdded]++
			n[countAddress][wasAdded] += length(op.Row["addresses"])
			n[countPort][wasAdded] += length(op.Row["ports"])
		case nb.OpUpdate:
			n[what][wasUpdated]++
		case nb.OpDelete:
			n[what][wasRemoved]++
		case nb.OpMutate:
			for _, m := range op.Mutations {
				verb := wasRemoved
				if m.Insert {
					verb = wasAdded
				}
				switch m.Column {
				case "addresses":
					n[countAddress][verb] += len(m.Strings)
				case "ports":
					n[countPort][verb] += len(m.Refs)
				case "acls":
					// A reference to a new row is counted by its insert.
					for _, r := range m.Refs {
						if r.UUID != "" {
							n[countACL][verb]++
						}
					}
				}
			}
		}
	}
	var parts []string
	for what := range n {
		for verb, count := range n[what] {
			if count > 0 {
				parts = append(parts, words.Count(count, counted[what])+" "+verbs[verb])
			}
		}
	}
	name := k.Name
	if k.Kind != model.KindANP {
		name = k.Label()
	}
	return name + ": " + strings.Join(parts, ", ")
}

// length is how many members a set column gets; other columns have none.
func length(v any) int {
	switch v := v.(type) {
	case []string:
		return len(v)
	case []nb.Ref:
		return len(v)
	}
	return 0
}

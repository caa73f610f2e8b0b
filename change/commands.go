package change

import (
	"rung/revision"
	"rung/sources/kube"
	"slices"
)

// Commands are the kubectl lines that would do the same.
func Commands(rev *revision.Revision, m Mutation, changes []ObjectChange) (out []string) {
	for i := range changes {
		// One line takes all documents of a text.
		if line := command(rev, m, &changes[i]); !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

func command(rev *revision.Revision, m Mutation, c *ObjectChange) string {
	k := rev.Mode.Kubectl
	switch {
	case c.New == nil:
		return k.Delete(c.Key)
	case m.Op == OpApply || c.Old == nil:
	case c.onlyLogging():
		return k.Annotate(c.Key, c.annotations()...)
	case len(c.Fields) == 1 && c.Fields[0].Path == "spec.priority":
		return k.SetPriority(c.Key, c.Old.Priority, c.New.Priority)
	}
	switch {
	case rev.Mode.Name != revision.ClusterMode:
		return k.FromInput("apply")
	case c.How == kube.VerbCreate:
		return k.FromInput("create")
	case c.How == kube.VerbApply:
		return k.ServerSideApply(m.Force)
	}
	return k.FromInput("replace")
}

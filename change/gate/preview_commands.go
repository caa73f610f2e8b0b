package gate

import (
	"slices"

	"rung/model"
	"rung/revision"
	"rung/sources/kube"
)

// commands are the kubectl lines that would do the same.
func commands(rev *revision.Revision, p *Preview) (out []string) {
	for i := range p.Objects {
		// One line takes all documents of a text.
		if line := command(rev, p.Mutation, &p.Objects[i]); !slices.Contains(out, line) {
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
		return k.Apply()
	case c.How == kube.VerbCreate:
		return k.Create()
	case c.How == kube.VerbApply:
		return k.ServerSideApply(m.Force)
	}
	return k.Replace()
}

// annotations are the words of kubectl annotate that change the logging annotations.
func (c *ObjectChange) annotations() (words []string) {
	set := annotationsOf(c.New)
	had := annotationsOf(c.Old)
	for _, name := range model.LoggingAnnotations() {
		v, has := set[name]
		was, there := had[name]
		switch {
		case has && (!there || was != v):
			words = append(words, name+"="+v)
		case !has && there:
			words = append(words, name+"-")
		}
	}
	return words
}

// onlyLogging says whether nothing but the logging annotations changes.
func (c *ObjectChange) onlyLogging() bool {
	return len(c.Fields) > 0 && len(c.Fields) == len(c.annotations())
}

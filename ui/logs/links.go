package logs

import (
	"strings"
	"time"

	"rung/engine/logs/entries"
	"rung/engine/trace"
	"rung/model"
	"rung/model/ovn/nb"
	"rung/model/words"
	"rung/revision"
	"rung/ui/detail"
	"rung/ui/nav"
	"rung/ui/view"
)

// openRow goes to the row that logged a line; where several of its rule
// may have, to the rows of these.
func openRow(env *view.Env, e *entries.Entry) {
	if e == nil || e.Gap != nil {
		env.Fail("no line here")
		return
	}
	acls := e.ACLs(env.Rev)
	switch len(acls) {
	case 0:
		env.Fail("the row behind this line is unknown, or no longer exists")
	case 1:
		env.Open(rowPage(env, e, acls[0]))
	default:
		env.Open(nav.Page{Kind: nav.Rows, Key: e.Unit(), Zone: e.Line.Zone, Text: detail.RowsFilter(e.Unit())})
	}
}

// rowPage is the row as the zone has it, or as it is desired where it has it not.
func rowPage(env *view.Env, e *entries.Entry, acl *nb.ACL) nav.Page {
	z := env.Rev.Zone(e.Line.Zone)
	var live nb.Row
	if z != nil && z.DB != nil {
		if found := z.DB.ACLByID(acl.ID()); found != nil {
			live = found
		}
	}
	return detail.RowPage(z, live, acl)
}

// maxCopied bounds the lines that are copied at once: a clipboard takes no more.
const maxCopied = 300

// Copies are the line under the cursor in its forms.
func (v *logPage) Copies(*view.Env) []view.Copy {
	e := v.entry()
	if e == nil {
		return nil
	}
	if e.Gap != nil {
		return []view.Copy{{What: "gap", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Sentence()}}
	}
	out := []view.Copy{{What: "sentence", Text: e.Line.At.Format(time.RFC3339Nano) + " " + e.Line.Zone + " " + e.Sentence()},
		{What: "raw line", Text: e.Line.Raw}}
	if e.Line.Name != "" {
		out = append(out, view.Copy{What: "ACL name", Text: e.Line.Name})
	}
	if e.Attributed {
		if n := e.Rule.Policy.Name; n != "" {
			out = append(out, view.Copy{What: "policy name", Text: n})
		}
	}
	if v.by != byNothing {
		return append(out, view.Copy{What: "table", Text: v.piles.table.AllText()})
	}
	all := v.shown()
	newest := all[max(0, len(all)-maxCopied):]
	what := "lines shown"
	if len(newest) < len(all) {
		what = "newest " + words.Total(uint64(len(newest)), "line")
	}
	return append(out, view.Copy{What: what, Text: sentences(newest)}, view.Copy{What: "rung command", Text: command(v.page, v.filter)})
}

// traceLine goes to the trace of the connection of a line; a page without lines asks
// for one.
func traceLine(env *view.Env, e *entries.Entry, page func(question string) nav.Page, ask func(*view.Env, trace.Question)) {
	if e == nil || e.Gap != nil {
		ask(env, view.TraceOf(env.Rev, env.Page))
		return
	}
	q, why := connection(env.Rev, e)
	if why != "" {
		env.Fail("trace: %s", why)
		return
	}
	env.Open(page(q.String()))
}

// probeLine asks for the connection of a line, to be put in as packets.
func probeLine(env *view.Env, e *entries.Entry) {
	var q trace.Question
	if e == nil || e.Gap != nil {
		q = view.TraceOf(env.Rev, env.Page)
	} else if of, why := connection(env.Rev, e); why == "" {
		q = of
	}
	view.AskProbe(env, q)
}

// connection is what a line is about, as a question; why says what keeps it from being one.
func connection(r *revision.Revision, e *entries.Entry) (q trace.Question, why string) {
	q = trace.Question{From: end(r, &e.Src), To: end(r, &e.Dst), Port: int(e.Line.DstPort)}
	p, err := trace.ParseProtocol(strings.TrimSuffix(e.Line.Proto, "6"))
	if err != nil {
		return q, "the line is about " + e.Line.Proto + ", which is no connection with ports"
	}
	q.Protocol = string(p)
	if why := q.Check(); why != "" {
		return q, why
	}
	return q, ""
}

// end is an end of a line as it is asked: the pod, where it still has the address first,
// else the address.
func end(r *revision.Revision, d *entries.End) string {
	if d.Key.Kind == model.KindPod && d.Gone.IsZero() {
		if p := r.Cluster.Pod(d.Key.Namespace, d.Key.Name); p != nil && len(p.IPs) > 0 && p.IPs[0] == d.Addr {
			return trace.EndText(d.Key)
		}
	}
	return d.Addr
}

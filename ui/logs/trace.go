package logs

import (
	"strings"

	"rung/engine/logs/entries"
	"rung/engine/trace"
	"rung/model"
	"rung/revision"
	"rung/ui/nav"
	"rung/ui/view"
)

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

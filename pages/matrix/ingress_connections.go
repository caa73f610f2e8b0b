package matrix

import (
	"rung/model"
	"rung/model/verdict"
	"rung/pages/page"
	"rung/revision"
)

// IngressObject is the object that exposes a workload to the outside.
type IngressObject struct {
	Kind    string `json:"kind"` // Ingress, HTTPRoute or Route
	Name    string `json:"name"`
	Host    string `json:"host,omitempty"`
	Path    string `json:"path,omitempty"`
	Service string `json:"service"`
	// Controllers are the workloads of ingress controllers whose connections were judged.
	Controllers []string `json:"controllers"`
}

// IngressConnections returns the paths from outside to workloads through Ingresses, HTTPRoutes and Routes, with the
// verdicts of the ingress controllers' connections. The verdict is unknown if no controller is known, and not
// applicable if the path leads nowhere.
func IngressConnections(t *revision.VerdictTable, r *revision.Revision, keep func(*revision.End) bool) (out []*AllowedConnection) {
	for _, w := range t.IngressPaths(r) {
		if keep != nil && (w.To == nil || !keep(w.To)) {
			continue
		}
		p := &AllowedConnection{From: string(w.Key.Kind) + " " + w.Key.NamespacedName(), Verdict: string(verdict.Unknown),
			By: []string{}, portRanges: w.Ports,
			IngressObject: &IngressObject{Kind: string(w.Key.Kind), Name: w.Key.NamespacedName(), Host: w.Host, Path: w.Path,
				Service: w.Service.NamespacedName(), Controllers: []string{}}}
		if at := w.Host + w.Path; at != "" {
			p.From += " (" + at + ")"
		}
		p.FromEnd = &revision.End{Imagined: p.From}
		if w.To == nil {
			p.To, p.ToEnd, p.Verdict, p.By = "service/"+w.Service.NamespacedName(), &revision.End{Imagined: "service/" + w.Service.NamespacedName()},
				string(verdict.NotApplicable), []string{w.Broken}
			out = append(out, p)
			continue
		}
		p.To, p.ToEnd, p.Ports = w.To.String(), w.To, page.PortRanges(w.Ports)
		var all verdict.Outcome
		for _, c := range w.Controllers {
			p.IngressObject.Controllers = append(p.IngressObject.Controllers, c.From.String())
			for i := range c.States {
				all |= c.States[i].Outcome
				p.By = append(p.By, model.MapList(c.States[i].By, func(d verdict.Decider) string {
					return revision.DecidersText([]verdict.Decider{d})
				})...)
			}
		}
		switch v, one := all.Verdict(); {
		case one:
			p.Verdict = string(v)
		case all != 0:
			p.Verdict = "mixed"
		case len(w.Controllers) == 0:
			p.By = []string{"the pods of the ingress controller are unknown"}
		}
		out = append(out, p)
	}
	return out
}

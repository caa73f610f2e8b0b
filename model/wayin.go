package model

// Kinds that lead from outside the cluster to Services.
const (
	KindIngress   Kind = "Ingress"
	KindHTTPRoute Kind = "HTTPRoute"
	KindRoute     Kind = "Route"
)

// WayIn is an object that leads from outside the cluster to Services: through an ingress
// controller, whose pods connect to the pods behind them.
type WayIn struct {
	Meta
	Targets []WayInTarget
}

// WayInTarget is a Service that a way in leads to.
type WayInTarget struct {
	Host, Path string // empty for any
	Namespace  string // of the Service
	Service    string
	Port       string // of the Service, its number or name; empty for its only one
}

// WaysIn lists the objects that lead from outside to Services.
func (c *Cluster) WaysIn() (out []*WayIn) {
	for _, k := range []Kind{KindIngress, KindHTTPRoute, KindRoute} {
		for w := range objectsOfKind[*WayIn](c, k) {
			out = append(out, w)
		}
	}
	return out
}

package model

// WayIn is an object that leads from outside the cluster to Services: through an ingress
// controller, whose pods connect to the pods behind them.
type WayIn struct {
	Meta
	Targets []Target
}

// Target is a Service that a way in leads to.
type Target struct {
	Host, Path string // empty for any
	Namespace  string // of the Service
	Service    string
	Port       string // of the Service, its number or name; empty for its only one
}

// WaysIn returns the objects of a cluster that lead from outside to Services.
func WaysIn(c *Cluster) (out []*WayIn) {
	for _, k := range []Kind{KindIngress, KindHTTPRoute, KindRoute} {
		for w := range ObjectsOf[*WayIn](c, k) {
			out = append(out, w)
		}
	}
	return out
}

package action

// The actions of the pod view.
const (
	PodLogs  ID = "pod.logs"
	PodTrace ID = "pod.trace"
	PodOVN   ID = "pod.ovn"
)

var pod = []Action{
	{ID: PodLogs, Keys: []string{"l"}, Title: "log lines", Footer: 20, Help: "the log lines with this pod at one end"},
	traceFrom(PodTrace, 30, "trace a connection of the pod: choose the other end and the port"),
	ovnFrom(PodOVN, "trace a connection of the pod, and run ovn-trace about it: choose the other end and the port"),
}

package action

// The actions of the pod view.
const (
	PodLogs ID = "pod.logs"
)

var pod = []Action{
	{ID: PodLogs, Keys: []string{"l"}, Title: "log lines", Footer: 20, Help: "the log lines with this pod at one end"},
}

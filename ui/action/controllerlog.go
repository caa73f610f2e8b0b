package action

import (
	"rung/engine/logs"
	"rung/engine/revision"
)

// The actions of the page of controllers' log lines.
const (
	ControllerAgain ID = "controller.again"
	ControllerZone  ID = "controller.zone"
)

var controllerActions = []Action{
	{ID: ControllerAgain, Keys: []string{"r"}, Title: "read again", Footer: 20, Help: "read the newest lines of the controller again"},
	{ID: ControllerZone, Keys: []string{"t"}, Title: "zone", Footer: 30, Help: "the controller of the next zone"},
}

// OnCluster disables an action that needs the pods of a cluster.
func OnCluster(c Context) string {
	if c.Mode.Name != revision.ClusterMode {
		return logs.ErrNotOnCluster.Error()
	}
	return ""
}

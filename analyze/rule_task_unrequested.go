package analyze

var taskUnrequested = remarkRule("task-unrequested", Error,
	"A call became a task although the client had not said that it knows tasks",
	"A server must answer with a task only where the request's capabilities name the tasks extension. Another client takes the handle for the result.",
	"SEP-2663, Capability Negotiation")

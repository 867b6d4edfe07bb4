"""one_run.py - one execution of a document, from its JSON alone: whoever can go on does."""


class Run:
    def __init__(self, document):
        self.streams = [(program["rank"], stream["name"], stream["tasks"])
                        for program in document["programs"] for stream in program["streams"]]
        self.at = [0] * len(self.streams)
        self.tokens = {}

    def moves(self, may=lambda task: True):
        """(rank, stream, number, task) of every move, in the order in which they are made, until
        nobody can go on; what may not be made is left, and all behind it. Called again it goes
        on from there."""
        going = True
        while going:
            going = False
            for stream, (rank, name, tasks) in enumerate(self.streams):
                while self.at[stream] < len(tasks):
                    number, task = self.at[stream], tasks[self.at[stream]]
                    if task["task"] in ("Notify", "Wait"):
                        if not self.signal(rank, task):
                            break
                    elif not may(task):
                        break
                    else:
                        yield rank, name, number, task
                    self.at[stream] += 1
                    going = True

    def signal(self, rank, task):
        """Gives or takes a token; False: there is none to take."""
        wait = task["task"] == "Wait"
        key = (task["peer"], rank, task["signal"]) if wait else (rank, task["peer"], task["signal"])
        if wait and not self.tokens.get(key):
            return False
        self.tokens[key] = self.tokens.get(key, 0) + (-1 if wait else 1)
        return True

    def is_over(self):
        return all(at == len(tasks) for at, (_, _, tasks) in zip(self.at, self.streams))

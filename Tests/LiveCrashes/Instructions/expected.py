"""What the source says of each case, and what crashread must say."""
import json, re, subprocess

# Where the bad value comes from. At -O0 and -Onone every value goes through the stack.
LOAD = "was loaded from"
ORIGINS = {
    "argument_read": "its argument 1", "argument_write": "its argument 1", "member_read": LOAD, "member_chain": LOAD,
    "member_increment": LOAD, "global_read": LOAD, "result_read": "is what the call at", "element": "its argument 1",
    "byte_at": "its argument 1", "floating": "its argument 1", "copy_to": "its argument 1", "copy_from": "its argument 2",
    "argument_noncanonical": "its argument 1", "member_noncanonical": LOAD, "misaligned": "its argument 1",
    "swift_argumentRead": "its argument 1", "swift_argumentWrite": "its argument 1", "swift_element": "its argument 1",
    "swift_byte": "its argument 1", "swift_memberRead": LOAD, "swift_memberWrite": LOAD, "swift_structMember": LOAD,
    "swift_globalRead": LOAD, "swift_resultRead": "is what the call at", "swift_floating": "its argument 1",
}
ACCESS = {
    "argument_write": "writing", "copy_to": "writing", "member_increment": "(reading and )?writing|reading",
    "swift_argumentWrite": "writing", "swift_memberWrite": "writing",
}
RULES = {
    "privileged": "privileged-instruction", "misaligned": "misaligned-vector",
    "argument_noncanonical": "non-canonical-operand", "member_noncanonical": "non-canonical-operand",
}
# What the source calls the value, with debug information. Swift's doesn't have a class's members; and without optimisation
# it names copies on the stack, of which a report says nothing.
NAMES = {
    "argument_read": "node", "argument_write": "node", "member_read": "node->next", "member_increment": "node->next",
    "argument_noncanonical": "node", "member_noncanonical": "node->next", "element": "values", "copy_to": "to",
    "swift_argumentRead": "place", "swift_argumentWrite": "place", "swift_element": "values", "swift_byte": "bytes",
    "swift_floating": "values",
}
CALLS = {"virtual_call", "pointer_call", "member_call"}

OVERFLOW = {"a signed result that doesn't fit", "an unsigned result that doesn't fit"}
ORDER = {"two numbers in the wrong order", "a negative number"}
ZERO = {"a value that is zero"}
# Which checks the compiler can have made of the one in the source: an unsigned difference doesn't fit when the numbers are
# in the wrong order.
CHECKS = {
    "swift_sum": OVERFLOW, "swift_difference": OVERFLOW | ORDER, "swift_product": OVERFLOW, "swift_smallSum": OVERFLOW | ORDER,
    "swift_quotient": ZERO, "swift_negated": OVERFLOW, "swift_narrowed": OVERFLOW | ORDER, "swift_unsigned": ORDER,
    "swift_unwrapped": ZERO, "swift_unwrappedPointer": ZERO, "swift_elementOf": ORDER, "swift_part": ORDER | OVERFLOW,
    "swift_range": ORDER, "swift_demanded": ORDER, "swift_total": OVERFLOW,
}
UNOPTIMISED = ("-O0", "-Onone")


def ips(body, system, exception, signal, codes):
    """A report as devices write it."""
    body |= {
        "procName": "crash", "faultingThread": 0,
        "exception": {"type": exception, "signal": signal, "rawCodes": codes, "codes": ", ".join(f"{code:#018x}" for code in codes)},
    }
    header = {"bug_type": "309", "os_version": system, "app_name": "crash", "timestamp": "2026-01-01 00:00:00.00 +0000"}
    return json.dumps(header) + "\n" + json.dumps(body) + "\n"


class Score:
    """What was asked, found, missed and wrong."""

    def __init__(self):
        self.cases = self.right = self.names = self.named = self.checks = self.checked = 0
        self.callers = self.called = 0
        self.failures = []

    def add_caller(self, place, answer, caller, link):
        """A function that has stored no return address was called from where the link register says."""
        said = [frame["address"] for frame in answer["threads"][0]["frames"] if frame.get("recovered")]
        if caller == link:
            self.callers, self.called = self.callers + 1, self.called + bool(said)
        if said and int(said[0], 16) != caller:
            self.failures.append(f"{place}: called from {said[0]}, not {caller and hex(caller)}")

    def add(self, name, place, options, answer, has_debug_file):
        findings = {finding["rule"]: finding for finding in answer["diagnosis"].get("findings", [])}
        missing, wrong = check(name, findings) if name in CHECKS else examine(name, options, answer, findings, has_debug_file)
        if name in CHECKS:
            self.checks, self.checked = self.checks + 1, self.checked + (not missing and not wrong)
        else:
            self.cases, self.right = self.cases + 1, self.right + (not missing and not wrong)
        self.failures += [f"{place}: {text}" for text in wrong]
        for text in missing:
            print(f"missing: {place}: {text}")
        if "-g" in options and "-Onone" not in options and has_debug_file and name in NAMES:
            said = answer["threads"][0].get("instruction", {}).get("origin", {}).get("variable")
            self.names, self.named = self.names + 1, self.named + (said == NAMES[name])
            if said is None:
                print(f"unnamed: {place}")
            elif said != NAMES[name]:
                self.failures.append(f"{place}: {said}, not {NAMES[name]}")

    def print(self):
        """Whether it is good enough."""
        print(f"{self.right} of {self.cases} bad accesses as the source has it")
        print(f"{self.checked} of {self.checks} checks of Swift by the code alone")
        print(f"{self.named} of {self.names} values by their names in the source")
        if self.callers:
            print(f"{self.called} of {self.callers} callers of functions without a frame")
        for failure in self.failures:
            print("wrong:", failure)
        return not self.failures and self.right >= 0.9 * self.cases and self.checked >= 0.9 * self.checks


def check(name, findings):
    """Which check led to a trap; of several that can have, all must be the one in the source."""
    said = findings.get("trap-check")
    if said is None:
        return ["check"], []
    right = any(kind in said["text"] for kind in CHECKS[name])
    if right and not any(kind in said["text"] for kind in (OVERFLOW | ORDER | ZERO) - CHECKS[name]):
        return [], []
    return (["one check: " + said["text"]], []) if said["confidence"] == "hint" else ([], [said["text"]])


def examine(name, options, answer, findings, has_binary):
    """What is missing, and what is wrong."""
    operand = findings.get("instruction", {})
    missing, wrong = [], []
    if name in RULES and answer["diagnosis"].get("rule") != RULES[name]:
        missing.append("rule " + str(answer["diagnosis"].get("rule")))
    if name in CALLS:
        if has_binary and "lost-call" not in findings:
            missing.append("call")
    elif name != "privileged":
        if not re.search("was " + "(" + ACCESS.get(name, "reading") + ")", operand.get("text", "")):
            (wrong if operand else missing).append("operand " + operand.get("text", ""))
        origin = findings.get("instruction-origin", {}).get("text", "")
        if ORIGINS[name] not in origin and not (set(options) & set(UNOPTIMISED) and LOAD in origin):
            (wrong if origin else missing).append("origin " + origin)
    wrong += [f["text"] for f in findings.values() if "belong together" in f["text"]]
    return missing, wrong


def answer(crashread, files):
    run = subprocess.run([crashread, "--format", "json", "--cache", "off", *files], capture_output=True, text=True)
    found = json.loads(run.stdout)
    return found.get("reports", [found])[0]

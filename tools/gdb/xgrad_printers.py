"""Printers for gdb: active values by their numbers, tangents by their fields, xtensor's arrays by their shape and elements.

    (gdb) source /usr/local/share/xgrad/gdb/xgrad_printers.py
    (gdb) info locals
    total = formula times = 36, cotangent 0, owed 1

In ~/.gdbinit the line `source ...` serves every session. `print/r total` shows what is behind it.
"""
import re
from math import prod

import gdb
import gdb.printing

MOST = 64  # elements of an array that are shown


def template_arguments(type_):
    arguments = []
    while True:
        try:
            arguments.append(type_.template_argument(len(arguments)))
        except (RuntimeError, gdb.error):
            return arguments


def number(value):
    return value.format_string(max_elements=MOST)


def nested(elements, shape):
    """{{1, 2}, {3, 4}} of the texts of the elements in row-major order"""
    if not shape:
        return elements[0] if elements else "?"
    if len(shape) == 1:
        return "{" + ", ".join(elements) + "}"
    step = len(elements) // shape[0] if shape[0] else 0
    return "{" + ", ".join(nested(elements[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])) + "}"


def strided(data, shape, strides, offset=0):
    """(2, 2) {{1, 2}, {3, 4}} of the elements at data + offset + indices * strides; nothing is read of what cannot be"""
    if data.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
        # arrays of duals: the primals lie together, and the tangents
        tangent = strided(data["tangent_"], shape, strides, offset).partition(") ")[2]
        return f"{strided(data['primal_'], shape, strides, offset)} along {tangent}"
    text = "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"
    size = 1
    for n in shape:
        size *= n
    if size == 0:
        return text
    if int(data) == 0:
        return text + " without memory"
    if size > MOST:
        first = [number((data + offset + k * (strides[-1] if strides else 0)).dereference()) for k in range(min(8, shape[-1]))]
        return f"{text} {{{', '.join(first)}, ...}}"
    places = [offset]
    for n, stride in zip(shape, strides):
        places = [place + i * stride for place in places for i in range(n)]
    return f"{text} {nested([number((data + place).dereference()) for place in places], shape)}"


def numbers_of(container):
    """the integers of a std::array, of an svector of xtensor, or of extents<R>"""
    type_ = container.type.strip_typedefs()
    names = [field.name for field in type_.fields()]
    if "n" in names:  # extents
        numbers = numbers_of(container["n"])
        return numbers[:int(container["count"])] if "count" in names else numbers
    if "_M_elems" in names:
        elements = container["_M_elems"]
        if elements.type.strip_typedefs().code != gdb.TYPE_CODE_ARRAY:
            return []
        low, high = elements.type.strip_typedefs().range()
        return [int(elements[i]) for i in range(low, high + 1)]
    if "m_begin" in names:
        begin, end = container["m_begin"], container["m_end"]
        return [int(begin[i]) for i in range(int(end - begin))]
    return []


def base_called(value, name):
    """the base of value's type whose name begins so"""
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            if field.type.strip_typedefs().name.startswith(name):
                return value[field]
            found = base_called(value[field], name)
            if found is not None:
                return found
    return None


def member(value, name):
    """a member of value or of one of its bases"""
    for field in value.type.strip_typedefs().fields():
        if field.is_base_class:
            found = member(value[field], name)
            if found is not None:
                return found
        elif field.name == name:
            return value[field]
    return None


def rank_of(constant):
    """the number of an integral_constant<int, R>"""
    return int(constant.strip_typedefs().template_argument(1))


def rank_of_slot(type_):
    return rank_of(template_arguments(type_)[1])


def contents(slot, brief=False):
    """value and cotangent of a slot"""
    type_ = slot.type.strip_typedefs()
    has = bool(member(slot, "has_cotangent"))
    bound = type_.name.startswith("xgrad::bound_slot<")
    if bound or slot["value"].type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
        # row by row in the shape that the type names: on the stack, or where the caller has it
        base = slot if bound or type_.name.startswith("xgrad::stack_slot") else base_called(slot, "xgrad::stack_slot<")
        shape = [int(n) for n in re.findall(r"\d+", template_arguments(base.type.strip_typedefs())[1 if bound else 2].name)]
        strides = [prod(shape[d + 1:]) for d in range(len(shape))]
        value = strided(slot["value"][0].address, shape, strides)
        cotangent = strided(slot["cotangent"][0].address, shape, strides).partition(") ")[2] if has else ""
    elif type_.name.startswith("xgrad::stack_slot") or rank_of_slot(type_) == 0:
        value, cotangent = number(slot["value"]), number(slot["cotangent"])
    else:
        shape, strides = numbers_of(slot["shape"]), numbers_of(slot["stride"])
        value = strided(slot["value"], shape, strides)
        cotangent = strided(slot["cotangent"], shape, strides).partition(") ")[2] if has else ""
    if brief:
        return value
    text = f"{value}, cotangent {cotangent if has else 'none yet'}"
    owed = member(slot, "owed")
    if owed is not None and int(owed):
        text += f", owed {int(owed)}"
    return text


def target(pointer):
    return pointer.dereference()


def of_reference(value):
    return value.referenced_value() if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF) else value


class Text:
    def __init__(self, value):
        self.value = of_reference(value)

    def to_string(self):
        try:
            return self.text(self.value)
        except (gdb.error, gdb.MemoryError, RuntimeError, AttributeError, TypeError, IndexError, KeyError) as problem:
            return f"<{self.value.type.strip_typedefs().name.partition('<')[0]}: {problem}>"


class Slot(Text):
    def text(self, slot):
        return "slot " + contents(slot)


class Argument(Text):
    def text(self, handle):
        pointer = member(handle, "slot_")
        if not int(pointer):
            return "argument of no call"
        slot = target(pointer)
        version = member(slot, "version")
        if version is not None and int(version):
            return "argument, assigned to, now " + contents(target(version))
        return "argument " + contents(slot)


class Debt(Text):
    def text(self, debt):
        pointer = member(debt, "slot_")
        return "moved from" if not int(pointer) else "shared value " + contents(target(pointer))


class Variable(Text):
    def text(self, variable):
        pointer = member(variable["ref_"], "slot_")
        return "variable, empty" if not int(pointer) else "variable " + contents(target(pointer))


class View(Text):
    def text(self, view):
        pointer = member(view["source_"], "slot_")
        if not int(pointer):
            return "part of nothing"
        slot = target(pointer)
        version = member(slot, "version")
        if view["source_"].type.strip_typedefs().name.startswith("xgrad::input<") and version is not None and int(version):
            slot = target(version)
        rank = rank_of(template_arguments(view.type.strip_typedefs())[1])
        shape, strides = ([], []) if rank == 0 else (numbers_of(view["lie_"]["shape"]), numbers_of(view["lie_"]["stride"]))
        offset = int(view["offset_"])

        def part(data):
            text = strided(data, shape, strides, offset)
            return text.partition(") ")[2] if rank == 0 else text
        text = f"part {part(slot['value'])}"
        if bool(member(slot, "has_cotangent")):
            cotangent = part(slot["cotangent"])
            text += f", cotangent {cotangent if rank == 0 else cotangent.partition(') ')[2]}"
        return text


class Formula(Text):
    def text(self, formula):
        operation = str(template_arguments(formula.type.strip_typedefs())[0].strip_typedefs())
        operation = re.sub(r"^xgrad::(op::|detail::)?", "", operation)
        name = f"formula {operation.partition('<')[0]}"
        counted = base_called(formula, "xgrad::counted_storage<")
        if counted is not None:
            word = int(counted["word_"])
            if word == 0:
                return f"{name}, not evaluated"
            if word == 1:
                return f"{name}, moved from"
            slot_type = gdb.lookup_type(counted.type.strip_typedefs().name + "::slot_type")
            slot = gdb.Value(word & ~3).cast(slot_type.pointer()).dereference()
            return f"{name} = {contents(slot)}"
        stacked = base_called(formula, "xgrad::stack_storage<")
        if stacked is not None:
            state = str(stacked["state_"]).rpartition("::")[2]
            if state == "fresh":
                return f"{name}, not evaluated"
            if state == "empty":
                return f"{name}, moved from"
            slot = target(member(stacked["alias_"], "slot_")) if state == "alias" else stacked["slot_"]
            return f"{name} = {contents(slot)}"
        eager = base_called(formula, "xgrad::eager_storage<")
        return f"{name} = {contents(eager['slot_'])}"


class Result(Text):
    def text(self, result):
        return f"result {number(member(result, 'value_'))}" + ("" if int(member(result, "delivered_")) else ", not delivered to a call")


class Absent(Text):
    def text(self, _):
        return "none"


class Mirror:
    """A struct with the field names of another: its fields, and `none` where there is none."""
    KINDS = {"to_tangent": "tangent", "to_fdata": "fdata", "to_rdata": "rdata", "to_handle": "active", "to_dual": "dual"}

    def __init__(self, value):
        self.value = of_reference(value)
        name = self.value.type.strip_typedefs().name
        reflection = name.partition("::mirror<")[0]
        # The struct is the argument of `fields<...>`, up to the bracket that closes it.
        argument = reflection.partition("::fields<")[2]
        depth = 0
        for end, letter in enumerate(argument):
            depth += {"<": 1, ">": -1}.get(letter, 0)
            if depth < 0:
                argument = argument[:end]
                break
        self.struct = argument.strip()
        function = re.match(r"(?:\w+::)*(\w+)", name.partition("::mirror<")[2])
        self.kind = self.KINDS.get(function.group(1) if function else "", "mirror")

    def to_string(self):
        return f"{self.kind} of {self.struct}"

    def children(self):
        for field in self.value.type.strip_typedefs().fields():
            if field.is_base_class or not hasattr(field, "bitpos"):
                continue
            yield field.name, self.value[field]


class Container(Text):
    """xt::xtensor and xt::xarray"""
    def text(self, array):
        storage = array["m_storage"]
        data = member(storage, "p_begin")
        if data is None:
            data = member(storage, "m_begin")
        shape, strides = numbers_of(member(array, "m_shape")), numbers_of(member(array, "m_strides"))
        return strided(data, shape, strides)


PRINTERS = [
    (r"^xgrad::slot<", Slot), (r"^xgrad::stack_slot<", Slot), (r"^xgrad::input<", Argument), (r"^xgrad::(stack_)?slot_ref<", Debt),
    (r"^xgrad::variable<", Variable), (r"^xgrad::slot_view<", View), (r"^xgrad::formula<", Formula),
    (r"^xgrad::(real|result<.*>|basic_sum_result<.*>)$", Result),
    (r"^xgrad::absent_field<", Absent), (r"^xgrad::no_(tangent|fdata|rdata)$", Absent),
    (r"^(?!std::|xt::)(\w+(<.*>)?::)*xgrad_reflection\w*::fields<.*>::mirror<", Mirror),
    (r"^xgrad::detail::(derived_reflection|reflection_of)<.*>::mirror<", Mirror), (r"^xt::x(tensor|array)_container<", Container),
]


def register(objfile=None):
    printers = gdb.printing.RegexpCollectionPrettyPrinter("xgrad")
    for number_, (pattern, printer) in enumerate(PRINTERS):
        printers.add_printer(f"{printer.__name__}{number_}", pattern, printer)
    gdb.printing.register_pretty_printer(objfile, printers, replace=True)


register()

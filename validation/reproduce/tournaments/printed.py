"""Tables 9.2 to 9.16 of the thesis as printed: rows and columns from ace to two, suited hands in the upper right."""

from __future__ import annotations

TABLES: dict[str, tuple[str, str]] = {
    "9.2": (
        "Button",
        """
P P P P P P P P P P P P P
P P P P P P 99 99 99 99 99 97 25
P P P P 99 99 99 96 95 31 8 1 1
P P 99 P 99 99 99 94 F F F F F
P P 99 99 P 99 99 94 F F F F F
P 99 95 93 94 P 99 95 6 F F F F
P 13 1 F F F P 96 17 F F F F
P 5 F F F F F P 82 F F F F
99 2 F F F F F F P F F F F
99 1 F F F F F F F P F F F
99 1 F F F F F F F F P F F
99 F F F F F F F F F F 99 F
99 F F F F F F F F F F F 99
""",
    ),
    "9.3": (
        "Small blind after button jams",
        """
P P P P 99 98 F F F F F F F
P P F F F F F F F F F F F
P F P F F F F F F F F F F
P F F P F F F F F F F F F
99 F F F P F F F F F F F F
F F F F F P F F F F F F F
F F F F F F 99 F F F F F F
F F F F F F F 98 F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
""",
    ),
    "9.4": (
        "Small blind after button folds",
        """
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P 99 99 99 99 99
P P P P P P P 99 99 99 99 99 94
P P P P P P P 99 99 99 99 93 88
P P P 99 99 P P 99 99 99 90 23 2
P P 99 99 99 99 P 99 99 99 99 2 2
P P 91 91 99 99 99 P 99 99 99 3 2
P P 90 3 3 87 94 99 P 99 99 92 2
P 99 3 2 1 2 2 3 91 P 99 99 85
P 99 3 2 1 1 1 1 2 3 P 93 2
P 99 2 1 F F F F F 1 1 P 2
P 99 2 1 F F F F F F F F P
""",
    ),
    "9.5": (
        "Big blind after jam/fold",
        """
P P P P P P 99 99 89 87 F F F
P P 99 99 89 F F F F F F F F
P 99 P F F F F F F F F F F
P F F P F F F F F F F F F
P F F F P F F F F F F F F
99 F F F F P F F F F F F F
99 F F F F F P F F F F F F
F F F F F F F P F F F F F
F F F F F F F F P F F F F
F F F F F F F F F 99 F F F
F F F F F F F F F F 15 F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
""",
    ),
    "9.6": (
        "Big blind after fold/jam",
        """
P P P P P P P P P P P P 99
P P P P P P 99 99 87 4 F F F
P P P 99 99 98 3 F F F F F F
P P 99 P 98 1 F F F F F F F
P P 91 F P F F F F F F F F
P 99 F F F P F F F F F F F
P 6 F F F F P F F F F F F
P 2 F F F F F P F F F F F
99 F F F F F F F P F F F F
99 F F F F F F F F P F F F
99 F F F F F F F F F P F F
99 F F F F F F F F F F 3 F
5 F F F F F F F F F F F F
""",
    ),
    "9.7": (
        "Big blind after jam/jam",
        """
P 96 1 F F F F F F F F F F
2 P F F F F F F F F F F F
F F P F F F F F F F F F F
F F F P F F F F F F F F F
F F F F 1 F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
F F F F F F F F F F F F F
""",
    ),
    "9.8": (
        "Button",
        """
P P P P P P P P P P P P P
P P P P P P P P P P P 98 F
P P P P P P P 96 94 F F F F
P P P P P P 98 95 F F F F F
P P P P P P 98 96 F F F F F
P P F F 20 P 99 97 F F F F F
P 2 F F F F P 98 95 F F F F
P F F F F F F P 97 F F F F
P F F F F F F F P 94 F F F
P F F F F F F F F P F F F
P F F F F F F F F F P F F
P F F F F F F F F F F P F
P F F F F F F F F F F F P
""",
    ),
    "9.9": (
        "Small blind after button jams",
        """
P P P P P P P P P P P P P
P P P P P P 1 1 1 F F F F
P P P P P 1 F F F F F F F
P P 91 P P 1 F F F F F F F
P P 1 F P 1 F F F F F F F
P 1 F F F P F F F F F F F
P F F F F F P F F F F F F
P F F F F F F P F F F F F
P F F F F F F F P F F F F
P F F F F F F F F P F F F
1 F F F F F F F F F P F F
1 F F F F F F F F F F P F
1 F F F F F F F F F F F P
""",
    ),
    "9.10": (
        "Small blind after button folds",
        """
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P P P 99 99 99
P P P P P P P P 99 99 99 17 F
P P P P P P P P 99 99 F F F
P P P P P 99 P P 99 99 98 F F
P P P P 99 99 99 P 99 99 98 F F
P P P F F F 8 98 P 99 99 11 F
P P P F F F F F F P 99 98 F
P P P F F F F F F F P 98 F
P P 4 F F F F F F F F P F
P P F F F F F F F F F F P
""",
    ),
    "9.11": (
        "Big blind after jam/fold",
        """
P P P P P P P P P P P P P
P P P P P P P P P 92 1 1 1
P P P P P P 89 1 1 P F F F
P P P P P 95 1 F F F F F F
P P P 48 P 95 1 F F F F F F
P P 1 F F P F F F F F F F
P 1 F F F F P F F F F F F
P 1 F F F F F P F F F F F
P 1 F F F F F F P F F F F
P 1 F F F F F F F P F F F
P F F F F F F F F F P F F
P F F F F F F F F F F P F
P F F F F F F F F F F F P
""",
    ),
    "9.12": (
        "Big blind after fold/jam",
        """
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P P P 99 96 1
P P P P P P P 98 1 F F F F
P P P P P P P 5 F F F F F
P P P P 97 P 99 1 F F F F F
P P P 93 F F P F F F F F F
P P 97 F F F F P F F F F F
P P 1 F F F F F P F F F F
P P F F F F F F F P F F F
P P F F F F F F F F P F F
P P F F F F F F F F F P F
P 99 F F F F F F F F F F P
""",
    ),
    "9.13": (
        "Big blind after jam/jam",
        """
P P P P P P P P P P 5 3 2
P P P P P P 2 1 1 1 F F F
P P P P P P 2 F F F F F F
P P P P P P 3 F F F F F F
P 8 2 2 P P P F F F F F F
P 1 F F F P P 2 F F F F F
4 F F F F F P P F F F F F
2 F F F F F F P 7 F F F F
1 F F F F F F F P F F F F
1 F F F F F F F F P F F F
1 F F F F F F F F F P F F
1 F F F F F F F F F F P F
F F F F F F F F F F F F 2
""",
    ),
    "9.15": (
        "Small blind strategy after button folds with stacks (3300, 1500, 8700).",
        """
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P P P P P P
P P P P P P P P P P 99 97 91
P P P P P P P P 99 90 F F F
P P P P P P P P 95 F F F F
P P P P P 97 P 97 90 F F F F
P P P P 95 21 F P 85 F F F F
P P P 96 F F F F P F F F F
P P P 91 F F F F F P F F F
P P P F F F F F F F P F F
P P 97 F F F F F F F F P F
P P 93 F F F F F F F F F P
""",
    ),
    "9.16": (
        "Karlson-Sklansky hand rankings",
        """
0 2 6 10 12 17 19 23 27 25 28 32 34
4 1 20 24 30 42 46 47 50 53 55 58 59
8 33 3 39 45 52 60 67 69 72 75 77 81
13 38 51 5 48 62 71 79 87 89 91 96 99
16 44 56 65 7 68 78 88 97 106 107 112 116
22 49 64 76 86 9 83 94 104 114 123 127 132
26 54 74 85 95 102 11 100 108 118 128 138 141
31 57 80 92 103 111 117 14 113 122 133 142 151
36 61 82 101 110 119 126 131 15 125 137 146 155
35 63 84 105 120 129 136 140 144 18 134 145 154
37 66 90 109 124 139 147 150 153 152 21 149 157
40 70 93 115 130 143 156 159 161 160 163 29 162
43 73 98 121 135 148 158 164 166 165 167 168 41
""",
    ),
}

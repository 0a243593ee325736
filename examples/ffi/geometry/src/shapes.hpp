// A library of C++ as one finds them: classes, templates of the standard library, exceptions. It knows nothing of Simple.

#pragma once

#include <memory>
#include <stdexcept>
#include <vector>

namespace shapes {

struct Point {
    double x, y;
};

// What is wrong with points that should be a shape.
class ShapeError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

class Shape {
public:
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual double outline() const = 0;
    virtual bool contains(Point point) const = 0;
};

class Circle final : public Shape {
public:
    Circle(Point middle, double radius);
    double area() const override;
    double outline() const override;
    bool contains(Point point) const override;

private:
    Point middle;
    double radius;
};

// Corners in order; the last one is next to the first.
class Polygon final : public Shape {
public:
    explicit Polygon(std::vector<Point> corners);
    // The smallest convex polygon around points, its corners counterclockwise.
    static std::unique_ptr<Polygon> around(std::vector<Point> points);
    double area() const override;
    double outline() const override;
    bool contains(Point point) const override;
    const std::vector<Point> &points() const { return corners; }

private:
    std::vector<Point> corners;
};

}  // namespace shapes
